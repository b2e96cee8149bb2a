package drawbridge.client;

import java.util.List;
import java.util.Map;

/** The end of tokens at the provider (RFC 7009). */
final class Revocation {
    private final Settings settings;
    private final Transport transport;
    private final Provider provider;
    private final Failures failures;

    Revocation(Settings settings, Transport transport, Provider provider, Failures failures) {
        this.settings = settings;
        this.transport = transport;
        this.provider = provider;
        this.failures = failures;
    }

    /** What went wrong, or null. */
    DrawbridgeException revoke(String token, String hint, boolean bound) {
        try {
            Object address = provider.metadata().get("revocation_endpoint");
            if (address == null) {
                return new DrawbridgeException("provider.endpoint", "revocation_endpoint");
            }
            Map<String, String> members =
                Form.members("token", token, "token_type_hint", hint, "client_id", settings.clientId);
            Http answer = transport.post((String) address, members, null, bound);
            return answer.status == 200 ? null : failures.of(answer, "revocation");
        } catch (DrawbridgeException error) {
            return error;
        }
    }

    void revokeIfPossible(List<String> refreshTokens, boolean bound) {
        for (String token : refreshTokens) {
            revoke(token, "refresh_token", bound);
        }
    }

    /** Ends what came for nobody, when the provider can be told: nobody has asked for this end. */
    void drop(Map<String, Object> tokens) {
        String kind = tokens.containsKey("refresh_token") ? "refresh_token" : "access_token";
        revoke((String) tokens.get(kind), kind, isBound(tokens));
    }

    static boolean isBound(Map<String, Object> tokens) {
        return ((String) tokens.get("token_type")).equalsIgnoreCase("dpop");
    }
}
