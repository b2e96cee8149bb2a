package drawbridge.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The beginning of a sign-in: it is kept, or ended again where it cannot be. */
final class Beginning {
    /** How many earlier sign-ins of the person an app keeps, to end them at its sign-out. The oldest of more end at once. */
    private static final int MOST_EARLIER = 8;

    private final Items items;
    private final OwnItem ownItem;
    private final SharedItem sharedItem;
    private final Revocation revocation;

    Beginning(Items items, OwnItem ownItem, SharedItem sharedItem, Revocation revocation) {
        this.items = items;
        this.ownItem = ownItem;
        this.sharedItem = sharedItem;
        this.revocation = revocation;
    }

    /**
     * Keeps a new sign-in, not beside a renewal or a sign-out of the one before. That one goes on until the sign-out, since
     * pages on the web may have come of it: people sign in once more to prove who they are. Another person's ends now.
     */
    void keep(Map<String, Object> tokens, Map<String, Object> claims) throws DrawbridgeException {
        OwnSignIn fresh = new OwnSignIn();
        fresh.claims = claims;
        OwnSignIn[] own = {null};
        List<String> before = new ArrayList<>();
        try (Store.Lock held = items.renewalLock()) {
            // What cannot be read is replaced.
            Step.tried(null, () -> own[0] = ownItem.read());
            if (own[0] != null) {
                before.addAll(own[0].refreshTokens());
                before.remove(tokens.get("refresh_token"));
                if (own[0].subject.equals(claims.get("sub"))) {
                    List<String> kept = before.subList(Math.max(0, before.size() - MOST_EARLIER), before.size());
                    fresh.earlier.addAll(kept);
                    kept.clear();
                }
            }
            ownItem.write(tokens, (String) claims.get("sub"), fresh);
        }
        revocation.revokeIfPossible(before, own[0] != null && own[0].bound);
    }

    /** Ends a sign-in that could not be kept, of which the app would not know. What was shared before it is so again. */
    void abandon(Map<String, Object> tokens, SharedSignIn before) {
        String secret = (String) tokens.get("device_secret");
        if (secret != null) {
            Step.tried(null, () -> {
                try (Store.Lock held = items.sharingLock()) {
                    sharedItem.forget(secret, before);
                }
            });
        }
        revocation.drop(tokens);
        // Where one was shown, the one that came may be of the same device, and would end the other apps there as well.
        if (secret != null && before == null) {
            revocation.revoke(secret, "device_secret", Revocation.isBound(tokens));
        }
    }
}
