// What ends at the provider (RFC 7009).

import { isBound } from "./token-endpoint.mjs";

export class Revocation {
    #configuration;
    #vault;
    #transport;
    #provider;
    #sharedSignIn;

    constructor({ configuration, vault, transport, provider, sharedSignIn }) {
        this.#configuration = configuration;
        this.#vault = vault;
        this.#transport = transport;
        this.#provider = provider;
        this.#sharedSignIn = sharedSignIn;
    }

    /** Ends a sign-in that could not be kept, of which the app would not know. What was shared before it is so again. */
    async abandon(tokens, before = null) {
        const secret = tokens.device_secret;
        if (secret) await this.#vault.sharing(() => this.#sharedSignIn.forget(tokens, before)).catch(() => {});
        await this.drop(tokens);
        // Where one was shown, the one that came may be of the same device, and would end the other apps there as well.
        if (secret && !before) await this.revokeIfPossible([secret], isBound(tokens), "device_secret");
    }

    /** Ends what came for nobody. */
    async drop(tokens) {
        const kind = tokens.refresh_token ? "refresh_token" : "access_token";
        await this.revokeIfPossible([tokens[kind]], isBound(tokens), kind);
    }

    /** For ends that nobody has asked for: when the provider cannot be told, there is nothing to be done about it. */
    async revokeIfPossible(tokens, bound, hint = "refresh_token") {
        for (const token of tokens) await this.revoke(token, hint, bound).catch(() => {});
    }

    async revoke(token, hint, bound) {
        const address = await this.#provider.endpoint("revocation_endpoint");
        const answer = await this.#transport.send("POST", address, {
            form: { token, token_type_hint: hint, client_id: this.#configuration.clientId }, proves: bound,
        });
        if (answer.status !== 200) throw this.#transport.failure(answer, "revocation");
    }
}
