// What the token endpoint gives (RFC 6749 §5).

import { isText, isVisible } from "./checks.mjs";
import { json } from "./encoding.mjs";
import { DrawbridgeError } from "./errors.mjs";

/**
 * Milliseconds for the answer of a renewal, at most: a refresh token whose answer was lost gives the same successor for
 * 10 s and is a theft after that (contract §5.2), so the app has to hear of the loss while it can still ask again.
 */
const longestRenewal = 6000;

export const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";
export const idTokenType = "urn:ietf:params:oauth:token-type:id_token";
export const deviceSecretType = "urn:openid:params:token-type:device-secret";
export const exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange";

export class TokenEndpoint {
    #configuration;
    #transport;
    #provider;

    constructor(configuration, transport, provider) {
        this.#configuration = configuration;
        this.#transport = transport;
        this.#provider = provider;
    }

    async ask(members) {
        const { token_endpoint: address } = await this.#provider.metadata();
        const isRenewal = members.grant_type === "refresh_token";
        const answer = await this.#transport.send("POST", address, {
            form: { ...members, client_id: members.client_id ?? this.#configuration.clientId },
            proves: Boolean(this.#configuration.dpop), longest: isRenewal ? longestRenewal : undefined,
        });
        if (isRenewal && isLost(answer)) {
            throw new DrawbridgeError("unreachable", `a proxy answered ${answer.status} in its place`);
        }
        if (answer.status !== 200) throw this.#transport.failure(answer, "the token endpoint");
        const tokens = json(answer.text);
        const optional = (name) => tokens[name] === undefined || isText(tokens[name]);
        // A token of a type that we do not know must not be used (RFC 6749 §7.1).
        const types = this.#configuration.dpop ? ["bearer", "dpop"] : ["bearer"];
        if (!tokens || !isVisible(tokens.access_token) || !types.includes(String(tokens.token_type).toLowerCase())
            || !["refresh_token", "id_token", "device_secret"].every(optional)
            || (tokens.expires_in !== undefined && !(Number.isFinite(tokens.expires_in) && tokens.expires_in > 0))) {
            throw new DrawbridgeError("unexpected_answer", "the token endpoint's answer cannot be read", answer);
        }
        return tokens;
    }
}

export const isBound = (tokens) => tokens.token_type.toLowerCase() === "dpop";

/**
 * Whether a proxy answered a renewal that may have happened: whoever waits then comes too late to repeat it
 * (contract §5.2). Only the provider's own 503 promises that nothing was used up (contract §11).
 */
const isLost = ({ status, text }) =>
    [502, 504].includes(status) || (status === 503 && json(text)?.error !== "temporarily_unavailable");
