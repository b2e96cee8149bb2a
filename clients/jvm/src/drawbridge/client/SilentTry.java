package drawbridge.client;

import java.util.Arrays;
import java.util.Map;

/** Without a person: by what this app has kept, else by what another left on the device (Native SSO §4). */
final class SilentTry {
    private final Core core;

    SilentTry(Core core) {
        this.core = core;
    }

    Drawbridge.Silent signIn() {
        try {
            core.settings.needClient();
            Map<String, Object> claims = ownClaims();
            if (claims != null) {
                return new Drawbridge.Silent(claims, null, null);
            }
            if (core.sharedItem.current() == null) {
                return new Drawbridge.Silent(null, "nothing_shared", null);
            }
            core.provider.needKeys();
            // Once more: while keys are fetched another app's renewal may replace the secret, and the old one would be
            // a replay (contract §5.4).
            SharedSignIn shared = core.sharedItem.current();
            return shared == null ? new Drawbridge.Silent(null, "nothing_shared", null) : exchange(shared);
        } catch (DrawbridgeException error) {
            String reason = error.code.startsWith("id_token.") ? "not_believed"
                : error.code.equals("refused") ? "refused" : "failed";
            return new Drawbridge.Silent(null, reason, error);
        }
    }

    /** Of this app's own sign-in, renewed when it is due; null when there is none, or the provider has ended it. */
    private Map<String, Object> ownClaims() throws DrawbridgeException {
        OwnSignIn own = core.ownItem.read();
        // One that an earlier version kept has no claims, and is made anew this once.
        if (own == null || own.claims == null) {
            return null;
        }
        try {
            return core.renewal.current().claims;
        } catch (DrawbridgeException error) {
            if (error.code.equals("not_signed_in")) {
                return null;
            }
            // No network, a busy or broken provider: nothing has ended it, and no browser would get further.
            if (Arrays.asList("unreachable", "come_back_later", "unexpected_answer").contains(error.code)) {
                return own.claims;
            }
            throw error;
        }
    }

    private Drawbridge.Silent exchange(SharedSignIn shared) throws DrawbridgeException {
        Object hash = shared.parts.claims.get("ds_hash");
        if (!Values.isText(hash) || !Codec.same(hash, Codec.halfHash(shared.deviceSecret))) {
            return new Drawbridge.Silent(null, "parts_do_not_fit", null);
        }
        Map<String, Object> tokens;
        try {
            tokens = core.tokens.get(Form.members("grant_type", TokenEndpoint.EXCHANGE, "audience", core.issuer.text,
                "subject_token", shared.idToken, "subject_token_type", TokenEndpoint.ID_TOKEN,
                "actor_token", shared.deviceSecret, "actor_token_type", TokenEndpoint.DEVICE_SECRET,
                "scope", core.settings.requestedScope()));
        } catch (DrawbridgeException error) {
            if ("invalid_grant".equals(error.oauth)) {
                core.sharedItem.forget(shared.deviceSecret, null);
            }
            throw error;
        }
        try {
            String secret = (String) tokens.get("device_secret");
            Map<String, Object> claims = core.idTokens.verified(
                tokens, null, null, shared.parts.subject(), secret == null ? shared.deviceSecret : secret);
            if (secret != null && !secret.equals(shared.deviceSecret)) {
                core.sharedItem.write(secret, (String) tokens.get("id_token"));
            }
            core.beginning.keep(tokens, claims);
            return new Drawbridge.Silent(claims, null, null);
        } catch (DrawbridgeException | RuntimeException error) {
            // The device is not this app's alone: its secret stays.
            core.revocation.drop(tokens);
            throw error;
        }
    }
}
