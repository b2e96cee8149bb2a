// Sign-in through the browser (RFC 8252, OpenID Connect Core §3.1).

import { isPrivateUse, secureAddress } from "./addresses.mjs";
import { codeOf } from "./authorization-answer.mjs";
import { words } from "./configuration.mjs";
import { form } from "./encoding.mjs";
import { DrawbridgeError, ofHost, wrong } from "./errors.mjs";
import { unless } from "./giving-up.mjs";

export class BrowserSignIn {
    #configuration;
    #cryptography;
    #vault;
    #proofs;
    #provider;
    #tokenEndpoint;
    #idTokens;
    #ownSignIn;
    #sharedSignIn;
    #revocation;

    constructor({
        configuration, cryptography, vault, proofs, provider, tokenEndpoint, idTokens, ownSignIn, sharedSignIn, revocation,
    }) {
        this.#configuration = configuration;
        this.#cryptography = cryptography;
        this.#vault = vault;
        this.#proofs = proofs;
        this.#provider = provider;
        this.#tokenEndpoint = tokenEndpoint;
        this.#idTokens = idTokens;
        this.#ownSignIn = ownSignIn;
        this.#sharedSignIn = sharedSignIn;
        this.#revocation = revocation;
    }

    async signIn(options) {
        const { issuer, clientId, browser } = this.#configuration;
        if (!browser) throw wrong("signIn needs a browser among the options");
        this.#configuration.needClient();
        const levels = words(options.acrValues, "acrValues");
        const languages = words(options.languages, "the languages");
        const metadata = await this.#provider.metadata();
        await this.#provider.needKeys();
        const request = {
            state: this.#cryptography.random(16), nonce: this.#cryptography.random(16),
            verifier: this.#cryptography.random(32), maxAge: options.maxAge ?? undefined,
        };
        // Whatever can fail comes before the browser is prepared: its open port would keep the app's process alive.
        const members = {
            response_type: "code", client_id: clientId, scope: this.#configuration.scope.join(" "),
            state: request.state, nonce: request.nonce, code_challenge: await this.#cryptography.sha256(request.verifier),
            code_challenge_method: "S256", login_hint: options.loginHint, prompt: options.prompt,
            acr_values: levels, max_age: options.maxAge, ui_locales: languages,
            dpop_jkt: this.#configuration.dpop ? await this.#proofs.thumbprint() : undefined,
        };
        const { signal } = options;
        if (signal?.aborted) throw new DrawbridgeError("cancelled");
        const prepared = await ofHost("the browser", () => browser.prepare?.({ signal }));
        const redirect = prepared ?? this.#configuration.redirectUri;
        if (!secureAddress(redirect) && !isPrivateUse(redirect ?? "")) {
            throw wrong("there is no redirectUri to come back to");
        }
        request.redirect = redirect;
        const { authorization_endpoint: endpoint } = metadata;
        const address = `${endpoint}${endpoint.includes("?") ? "&" : "?"}${form({ ...members, redirect_uri: redirect })}`;
        // What has come back is redeemed whatever the signal says then: half a sign-in would stay at the provider.
        const answer = await unless(signal, () =>
            ofHost("the browser", () => browser.open(address, { redirectUri: redirect, signal })));
        return this.#redeem(codeOf(answer, request, issuer, metadata), request);
    }

    async #redeem(code, request) {
        let shared = null;
        let tokens = null;
        try {
            const claims = await this.#vault.sharing(async () => {
                shared = await this.#sharedSignIn.stored();
                tokens = await this.#tokenEndpoint.ask({
                    grant_type: "authorization_code", code, redirect_uri: request.redirect, code_verifier: request.verifier,
                    // A device that is known stays one device; a secret that is no longer good counts as absent (§5.1).
                    device_secret: shared?.device_secret,
                });
                const found = await this.#idTokens.verified(tokens.id_token, {
                    nonce: request.nonce, maxAge: request.maxAge, accessToken: tokens.access_token,
                    deviceSecret: tokens.device_secret,
                });
                if (tokens.device_secret) await this.#sharedSignIn.share(tokens.device_secret, tokens.id_token);
                return found;
            });
            await this.#ownSignIn.begin(tokens, claims);
            return claims;
        } catch (error) {
            if (tokens) await this.#revocation.abandon(tokens, shared);
            throw error;
        }
    }
}
