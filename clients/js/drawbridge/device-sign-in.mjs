// Sign-in without a browser (RFC 8628).

import { secureAddress } from "./addresses.mjs";
import { isText } from "./checks.mjs";
import { json } from "./encoding.mjs";
import { DrawbridgeError, ofHost } from "./errors.mjs";
import { unless } from "./giving-up.mjs";

/** Seconds for which a code of another device is asked for at most. */
const longestCode = 86400;
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

export class DeviceSignIn {
    #configuration;
    #transport;
    #provider;
    #tokenEndpoint;
    #idTokens;
    #ownSignIn;
    #revocation;

    constructor({ configuration, transport, provider, tokenEndpoint, idTokens, ownSignIn, revocation }) {
        this.#configuration = configuration;
        this.#transport = transport;
        this.#provider = provider;
        this.#tokenEndpoint = tokenEndpoint;
        this.#idTokens = idTokens;
        this.#ownSignIn = ownSignIn;
        this.#revocation = revocation;
    }

    async signIn(show, signal) {
        this.#configuration.needClient();
        const address = await this.#provider.endpoint("device_authorization_endpoint");
        await this.#provider.needKeys();
        // What a device cannot have is not asked for.
        const { clientId, scope: words } = this.#configuration;
        const scope = words.filter((word) => word !== "offline_access" && word !== "device_sso").join(" ");
        const answer = await this.#transport.send("POST", address, { form: { client_id: clientId, scope } });
        if (answer.status !== 200) throw this.#transport.failure(answer, "the device authorization endpoint");
        const started = json(answer.text);
        if (!started || !isText(started.device_code) || !isText(started.user_code)
            || !(Number.isFinite(started.expires_in) && started.expires_in > 0)
            || !secureAddress(started.verification_uri)) {
            throw new DrawbridgeError("unexpected_answer", "no code to be shown came", answer);
        }
        const end = this.#configuration.now() + 1000 * Math.min(started.expires_in, longestCode);
        await unless(signal, () => ofHost("what shows the code", () => show({
            userCode: started.user_code, verificationUri: started.verification_uri,
            completeUri: secureAddress(started.verification_uri_complete)?.text ?? null, expiresAt: end,
        })));
        // Beside the asking: a code that was used is not asked with again, which would end what it opened.
        const tokens = await this.#poll(started, end, signal);
        try {
            const claims = await this.#idTokens.verified(tokens.id_token, { accessToken: tokens.access_token });
            await this.#ownSignIn.begin(tokens, claims);
            return claims;
        } catch (error) {
            await this.#revocation.abandon(tokens);
            throw error;
        }
    }

    async #poll(started, end, signal) {
        let interval = Number.isFinite(started.interval) ? Math.max(1, started.interval) : 5;
        for (;;) {
            // No longer than the code lives, whatever the provider wants: a timer that runs over fires at once.
            const wait = Math.max(0, Math.min(1000 * interval, end - this.#configuration.now()));
            await unless(signal, () => this.#configuration.sleep(wait, signal));
            try {
                return await this.#tokenEndpoint.ask({ grant_type: deviceGrant, device_code: started.device_code });
            } catch (error) {
                if (error.oauth === "authorization_pending") interval += 0;
                else if (error.oauth === "slow_down") interval += 5;
                else if (error.oauth === "expired_token") throw new DrawbridgeError("timed_out");
                // A lost connection is no answer (RFC 8628 §3.5).
                else if (error.code === "unreachable") interval = Math.min(2 * interval, 60);
                else if (error.code === "come_back_later") interval = Math.max(interval, error.seconds ?? 0);
                else throw error;
            }
            if (this.#configuration.now() >= end) throw new DrawbridgeError("timed_out");
        }
    }
}
