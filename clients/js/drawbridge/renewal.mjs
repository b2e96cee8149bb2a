// Access tokens and their renewal (RFC 6749 §6, RFC 9700 §4.14).

import { isText } from "./checks.mjs";
import { DrawbridgeError } from "./errors.mjs";
import { isInconclusive } from "./id-token.mjs";
import { earlierOf } from "./own-sign-in.mjs";
import { personOf } from "./shared-sign-in.mjs";

export class Renewal {
    #configuration;
    #vault;
    #provider;
    #tokenEndpoint;
    #idTokens;
    #ownSignIn;
    #sharedSignIn;
    #revocation;
    #renewing = null;

    constructor({ configuration, vault, provider, tokenEndpoint, idTokens, ownSignIn, sharedSignIn, revocation }) {
        this.#configuration = configuration;
        this.#vault = vault;
        this.#provider = provider;
        this.#tokenEndpoint = tokenEndpoint;
        this.#idTokens = idTokens;
        this.#ownSignIn = ownSignIn;
        this.#sharedSignIn = sharedSignIn;
        this.#revocation = revocation;
    }

    async current() {
        this.#configuration.needClient();
        const signIn = await this.#ownSignIn.stored();
        if (!signIn) throw new DrawbridgeError("not_signed_in");
        return signIn.expires_at > this.#configuration.now() + 30000 ? signIn : this.#renewed(signIn);
    }

    /** Calls with the sign-in, and once more with a renewed one when the provider does not take the first token. */
    async withToken(call) {
        const signIn = await this.current();
        try {
            return await call(signIn);
        } catch (error) {
            if (error.code !== "refused" || error.oauth !== "invalid_token") throw error;
        }
        return call(await this.#renewed(signIn));
    }

    /** After a sign-out nobody waits for a renewal that had begun before it. */
    forget() {
        this.#renewing = null;
    }

    /** One renewal at a time, in this process and, by the store's lock, on this device. */
    #renewed(stale) {
        this.#renewing ??= this.#vault.renewing(() => this.#renew(stale)).finally(() => {
            this.#renewing = null;
        });
        return this.#renewing;
    }

    async #renew(stale) {
        const signIn = await this.#ownSignIn.stored();
        if (!signIn) throw new DrawbridgeError("not_signed_in");
        // Another process was quicker: its token is as good as ours would be.
        const isOthers = signIn.access_token !== stale.access_token;
        if (isOthers && signIn.expires_at > this.#configuration.now() + 30000) return signIn;
        if (!signIn.refresh_token) throw new DrawbridgeError("not_signed_in");
        const shared = await this.#sharedSignIn.stored();
        const isOurs = !shared || personOf(shared) === signIn.subject;
        // A secret that is shown may be replaced (contract §5.4), and its successor comes with an ID token to verify.
        if (isOurs && shared) await this.#provider.needKeys();
        let tokens;
        try {
            tokens = await this.#tokenEndpoint.ask(this.#wish(signIn, shared, isOurs));
        } catch (error) {
            // Nothing else ends a sign-in (contract §5.2): a bare 401 may be of anything in front of the provider.
            if (error.code !== "refused" || error.oauth !== "invalid_grant") throw error;
            const now = await this.#ownSignIn.stored();
            if (now && now.refresh_token !== signIn.refresh_token) return now;
            await this.#ownSignIn.remove();
            await this.#revocation.revokeIfPossible(earlierOf(signIn), signIn.bound);
            throw new DrawbridgeError(
                "not_signed_in", `the provider has ended the sign-in (${error.oauth})`,
                { requestId: error.requestId, page: error.page });
        }
        // Where the store has no lock across processes, another may have signed out or in meanwhile: that stands.
        const now = await this.#ownSignIn.stored();
        if (!now) {
            await this.#revocation.drop(tokens);
            throw new DrawbridgeError("not_signed_in", "this app was signed out meanwhile");
        }
        if (now.refresh_token !== signIn.refresh_token) return now;
        // Kept before its ID token is looked at: the one before is used up.
        const fresh = await this.#ownSignIn.keep(tokens, signIn.subject, signIn);
        if (tokens.id_token !== undefined) await this.#heed(tokens, signIn.subject, isOurs);
        return fresh;
    }

    #wish(signIn, shared, isOurs) {
        // No wider than what was granted, which may be less than the app asks for (contract §5.2); an earlier version did
        // not keep it.
        const granted = isText(signIn.scope) ? signIn.scope.split(" ") : this.#configuration.scope;
        return {
            grant_type: "refresh_token", refresh_token: signIn.refresh_token,
            // Without it the provider would make a second device of this one (contract §5.2). Of somebody else's shared
            // sign-in nothing is told, and no secret is asked for that would take its place.
            device_secret: isOurs ? shared?.device_secret : undefined,
            scope: isOurs ? undefined : granted.filter((word) => word !== "device_sso").join(" "),
        };
    }

    /** Verifies the ID token of a renewal, and shares a device secret that came with it. */
    async #heed(tokens, subject, isOurs) {
        const check = { subject, accessToken: tokens.access_token, deviceSecret: tokens.device_secret };
        // The one shown is used up (contract §5.4). Its successor came by TLS from the token endpoint (OpenID Connect
        // Core §3.1.3.7 item 6): it is kept before a key is fetched, which this process may not outlive, and stays if
        // only the key is missing, or this device's clock is wrong.
        const isNew = tokens.device_secret && isOurs && (await this.#idTokens.fits(tokens.id_token, check));
        const before = isNew ? await this.#sharedSignIn.stored() : null;
        if (isNew) await this.#sharedSignIn.share(tokens.device_secret, tokens.id_token);
        try {
            await this.#idTokens.verified(tokens.id_token, check);
        } catch (error) {
            if (isNew && !isInconclusive(error)) await this.#sharedSignIn.forget(tokens, before);
            throw error;
        }
    }
}
