package drawbridge.client;

import java.util.Map;

/** Sign-in through the browser (RFC 8252, OpenID Connect Core §3.1). */
final class BrowserSignIn {
    private final Core core;

    BrowserSignIn(Core core) {
        this.core = core;
    }

    Map<String, Object> signIn(Drawbridge.Wishes wishes) throws DrawbridgeException {
        if (core.settings.browser == null) {
            throw DrawbridgeException.wrong("signIn needs a browser among the settings");
        }
        core.settings.needClient();
        Map<String, Object> provider = core.provider.metadata();
        core.provider.needKeys();
        // Whatever can fail comes before the browser is prepared, which may hold on to something for the answer.
        String thumbprint = core.settings.usesProofs() ? core.proofs.thumbprint() : null;
        String prepared = AppPart.hosted("the browser", core.settings.browser::prepare);
        String redirect = prepared == null ? core.settings.redirectUri : prepared;
        if (Address.of(redirect) == null && !Address.isPrivateUse(redirect)) {
            throw DrawbridgeException.wrong("there is no redirectUri to come back to");
        }
        String state = Codec.random(16);
        String nonce = Codec.random(16);
        String verifier = Codec.random(32);
        String endpoint = (String) provider.get("authorization_endpoint");
        Map<String, String> query = Form.members("response_type", "code", "client_id", core.settings.clientId,
            "redirect_uri", redirect, "scope", core.settings.requestedScope(), "state", state, "nonce", nonce,
            "code_challenge", Codec.encode(Codec.sha256(verifier)), "code_challenge_method", "S256",
            "login_hint", wishes.loginHint, "prompt", wishes.prompt,
            "acr_values", wishes.acrValues == null ? null : String.join(" ", wishes.acrValues),
            "max_age", wishes.maxAge == null ? null : wishes.maxAge.toString(),
            "ui_locales", wishes.languages == null ? null : String.join(" ", wishes.languages),
            "dpop_jkt", thumbprint);
        String address = endpoint + (endpoint.contains("?") ? "&" : "?") + Form.text(query);
        String answer = AppPart.hosted("the browser", () -> core.settings.browser.open(address));
        String code = BrowserAnswer.code(answer == null ? "" : answer, redirect, state, provider, core.issuer.text);
        return redeem(Form.members("grant_type", "authorization_code", "code", code, "redirect_uri", redirect,
            "code_verifier", verifier), nonce, wishes);
    }

    private Map<String, Object> redeem(Map<String, String> grant, String nonce, Drawbridge.Wishes wishes)
        throws DrawbridgeException {
        SharedSignIn shared = null;
        Map<String, Object> tokens = null;
        try {
            Map<String, Object> claims;
            try (Store.Lock held = core.items.sharingLock()) {
                shared = core.sharedItem.read();
                if (shared != null) {
                    // A device that is known stays one device; a secret that is no longer good counts as absent (§5.1).
                    grant.put("device_secret", shared.deviceSecret);
                }
                tokens = core.tokens.get(grant);
                String secret = (String) tokens.get("device_secret");
                claims = core.idTokens.verified(tokens, nonce, wishes.maxAge, null, secret);
                if (secret != null) {
                    core.sharedItem.write(secret, (String) tokens.get("id_token"));
                }
            }
            core.beginning.keep(tokens, claims);
            return claims;
        } catch (DrawbridgeException | RuntimeException error) {
            if (tokens != null) {
                core.beginning.abandon(tokens, shared);
            }
            throw error;
        }
    }
}
