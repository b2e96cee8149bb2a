package drawbridge.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** This app's sign-in, as it is kept. */
final class OwnSignIn {
    String accessToken;
    String refreshToken;
    double expiresAt;
    String subject;
    boolean bound;
    /** What was granted; null when nobody said. */
    String scope;
    /** Of the ID token that it came with; null when an earlier version kept it. */
    Map<String, Object> claims;
    /** Refresh tokens of the person's sign-ins before this one, the oldest first: they end with it. */
    List<String> earlier = new ArrayList<>();

    /** The same and its own. */
    List<String> refreshTokens() {
        List<String> all = new ArrayList<>(earlier);
        if (refreshToken != null) {
            all.add(refreshToken);
        }
        return all;
    }
}
