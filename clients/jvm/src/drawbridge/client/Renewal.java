package drawbridge.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Access tokens and their renewal (RFC 6749 §6, RFC 9700 §4.14). */
final class Renewal {
    /** What is done with a sign-in. */
    interface Call<T> {
        T with(OwnSignIn own) throws DrawbridgeException;
    }

    private final Core core;

    Renewal(Core core) {
        this.core = core;
    }

    /** The sign-in, with an access token that is good for half a minute at least. */
    OwnSignIn current() throws DrawbridgeException {
        core.settings.needClient();
        OwnSignIn own = core.ownItem.read();
        if (own == null) {
            throw new DrawbridgeException("not_signed_in");
        }
        return own.expiresAt > core.settings.now.getAsLong() + 30_000 ? own : renewed(own);
    }

    /** Calls with the sign-in, and once more with a renewed one when the provider does not take the first token. */
    <T> T withToken(Call<T> call) throws DrawbridgeException {
        OwnSignIn own = current();
        try {
            return call.with(own);
        } catch (DrawbridgeException error) {
            if (!error.code.equals("refused") || !"invalid_token".equals(error.oauth)) {
                throw error;
            }
        }
        return call.with(renewed(own));
    }

    /** One renewal at a time on this device, by the store's lock. */
    private OwnSignIn renewed(OwnSignIn stale) throws DrawbridgeException {
        try (Store.Lock held = core.items.renewalLock()) {
            return renew(stale);
        }
    }

    private OwnSignIn renew(OwnSignIn stale) throws DrawbridgeException {
        OwnSignIn own = core.ownItem.read();
        if (own == null) {
            throw new DrawbridgeException("not_signed_in");
        }
        // Another was quicker: its token is as good as ours would be.
        if (!own.accessToken.equals(stale.accessToken) && own.expiresAt > core.settings.now.getAsLong() + 30_000) {
            return own;
        }
        if (own.refreshToken == null) {
            throw new DrawbridgeException("not_signed_in");
        }
        SharedSignIn shared = core.sharedItem.read();
        boolean isOurs = shared == null || shared.parts.subject().equals(own.subject);
        // A secret that is shown may be replaced (contract §5.4), and its successor comes with an ID token to verify.
        if (isOurs && shared != null) {
            core.provider.needKeys();
        }
        // No wider than what was granted, which may be less than the app asks for (contract §5.2); an earlier version did
        // not keep it.
        List<String> words = own.scope == null ? core.settings.requestedWords()
            : new ArrayList<>(Arrays.asList(own.scope.split(" ")));
        words.remove("device_sso");
        Map<String, Object> tokens;
        try {
            tokens = core.tokens.get(Form.members("grant_type", "refresh_token", "refresh_token", own.refreshToken,
                // Without it the provider would make a second device of this one (contract §5.2). Of somebody else's
                // shared sign-in nothing is told, and no secret is asked for that would take its place.
                "device_secret", isOurs && shared != null ? shared.deviceSecret : null,
                "scope", isOurs ? null : String.join(" ", words)));
        } catch (DrawbridgeException error) {
            return refused(own, error);
        }
        // Where the store has no lock across processes, another may have signed out or in meanwhile: that stands.
        OwnSignIn now = core.ownItem.read();
        if (now == null) {
            core.revocation.drop(tokens);
            throw new DrawbridgeException("not_signed_in", "this app was signed out meanwhile");
        }
        if (!own.refreshToken.equals(now.refreshToken)) {
            return now;
        }
        // Kept before its ID token is looked at: the one before is used up.
        OwnSignIn fresh = core.ownItem.write(tokens, own.subject, own);
        if (tokens.containsKey("id_token")) {
            heed(tokens, own.subject, isOurs);
        }
        return fresh;
    }

    /** After a refusal: what another has put in meanwhile. Where nobody has, a sign-in that the provider ended is forgotten. */
    private OwnSignIn refused(OwnSignIn own, DrawbridgeException error) throws DrawbridgeException {
        // Nothing else ends a sign-in (contract §5.2): a bare 401 may be of anything in front of the provider.
        if (!error.code.equals("refused") || !"invalid_grant".equals(error.oauth)) {
            throw error;
        }
        OwnSignIn other = core.ownItem.read();
        if (other != null && !own.refreshToken.equals(other.refreshToken)) {
            return other;
        }
        core.ownItem.remove();
        core.revocation.revokeIfPossible(own.earlier, own.bound);
        throw new DrawbridgeException("not_signed_in", "the provider has ended the sign-in (" + error.oauth + ")", null, null,
            error.requestId, error.page);
    }

    /** Verifies the ID token of a renewal, and shares a device secret that came with it. */
    private void heed(Map<String, Object> tokens, String subject, boolean isOurs) throws DrawbridgeException {
        String secret = (String) tokens.get("device_secret");
        // The one shown is used up (contract §5.4). Its successor came by TLS from the token endpoint (OpenID Connect
        // Core §3.1.3.7 item 6): it is kept before a key is fetched, which this process may not outlive, and stays if
        // only the key is missing, or this device's clock is wrong.
        boolean isNew = secret != null && isOurs && core.idTokens.fits(tokens, subject, secret);
        SharedSignIn before = isNew ? core.sharedItem.read() : null;
        if (isNew) {
            core.sharedItem.write(secret, (String) tokens.get("id_token"));
        }
        try {
            core.idTokens.verified(tokens, null, null, subject, secret);
        } catch (DrawbridgeException error) {
            if (isNew && !IdTokenCheck.isInconclusive(error)) {
                core.sharedItem.forget(secret, before);
            }
            throw error;
        }
    }
}
