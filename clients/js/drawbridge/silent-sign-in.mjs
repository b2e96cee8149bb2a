// Without a person: by what this app has kept, else by what another left on the device (Native SSO §4).

import { isText } from "./checks.mjs";
import { equal } from "./cryptography.mjs";
import { typed } from "./errors.mjs";
import { parts } from "./id-token.mjs";
import { deviceSecretType, exchangeGrant, idTokenType } from "./token-endpoint.mjs";

export class SilentSignIn {
    #configuration;
    #cryptography;
    #provider;
    #tokenEndpoint;
    #idTokens;
    #ownSignIn;
    #sharedSignIn;
    #revocation;
    #renewal;

    constructor({
        configuration, cryptography, provider, tokenEndpoint, idTokens, ownSignIn, sharedSignIn, revocation, renewal,
    }) {
        this.#configuration = configuration;
        this.#cryptography = cryptography;
        this.#provider = provider;
        this.#tokenEndpoint = tokenEndpoint;
        this.#idTokens = idTokens;
        this.#ownSignIn = ownSignIn;
        this.#sharedSignIn = sharedSignIn;
        this.#revocation = revocation;
        this.#renewal = renewal;
    }

    async signIn() {
        try {
            this.#configuration.needClient();
            const claims = await this.#kept();
            if (claims) return { signedIn: true, claims };
            const nothing = { signedIn: false, reason: "nothing_shared", error: null };
            if (!(await this.#sharedSignIn.current())) return nothing;
            await this.#provider.needKeys();
            // Once more: while keys are fetched another app's renewal may replace the secret, and the old one would be
            // a replay (contract §5.4).
            const shared = await this.#sharedSignIn.current();
            return shared ? await this.#exchange(shared) : nothing;
        } catch (error) {
            const problem = typed(error);
            const reason = problem.code.startsWith("id_token.") ? "not_believed"
                : problem.code === "refused" ? "refused" : "failed";
            return { signedIn: false, reason, error: problem };
        }
    }

    /** The claims of this app's own sign-in, renewed when it is due; null when there is none, or the provider has ended it. */
    async #kept() {
        const signIn = await this.#ownSignIn.stored();
        // One that an earlier version kept has no claims, and is made anew this once.
        if (!signIn || signIn.claims?.sub !== signIn.subject) return null;
        try {
            return (await this.#renewal.current()).claims ?? null;
        } catch (error) {
            if (error.code === "not_signed_in") return null;
            // No network, a busy or broken provider: nothing has ended it, and no browser would get further.
            if (["unreachable", "come_back_later", "unexpected_answer"].includes(error.code)) return signIn.claims;
            throw error;
        }
    }

    async #exchange(shared) {
        const before = parts(shared.id_token)?.claims;
        const fits = before && isText(before.ds_hash)
            && equal(before.ds_hash, await this.#cryptography.halfHash(shared.device_secret));
        if (!fits) return { signedIn: false, reason: "parts_do_not_fit", error: null };
        const tokens = await this.#tokenEndpoint.ask({
            grant_type: exchangeGrant, audience: this.#configuration.issuer, subject_token: shared.id_token,
            subject_token_type: idTokenType, actor_token: shared.device_secret, actor_token_type: deviceSecretType,
            scope: this.#configuration.scope.join(" "),
        }).catch(async (error) => {
            if (error.oauth === "invalid_grant") await this.#sharedSignIn.forget(shared);
            throw error;
        });
        try {
            const claims = await this.#idTokens.verified(tokens.id_token, {
                subject: before.sub, accessToken: tokens.access_token,
                deviceSecret: tokens.device_secret ?? shared.device_secret,
            });
            if (tokens.device_secret && tokens.device_secret !== shared.device_secret) {
                await this.#sharedSignIn.share(tokens.device_secret, tokens.id_token);
            }
            await this.#ownSignIn.begin(tokens, claims);
            return { signedIn: true, claims };
        } catch (error) {
            // The device is not this app's alone: its secret stays.
            await this.#revocation.drop(tokens);
            throw error;
        }
    }
}
