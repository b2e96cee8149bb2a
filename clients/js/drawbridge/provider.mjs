// The provider's description of itself, and its keys (OpenID Connect Discovery, RFC 8414).

import { isText } from "./checks.mjs";
import { json } from "./encoding.mjs";
import { DrawbridgeError } from "./errors.mjs";

export class Provider {
    #configuration;
    #transport;
    #metadata = null;
    #keys = null;

    constructor(configuration, transport) {
        this.#configuration = configuration;
        this.#transport = transport;
    }

    async metadata() {
        if (this.#metadata) return this.#metadata;
        const answer = await this.#transport.send("GET", `${this.#configuration.issuer}/.well-known/openid-configuration`);
        if (answer.status !== 200) throw this.#transport.failure(answer, "discovery");
        const said = json(answer.text);
        if (!said || !isText(said.issuer)) throw new DrawbridgeError("provider.malformed", "description", answer);
        // Byte for byte: a document of another issuer would carry the whole sign-in elsewhere (RFC 8414 §6.2).
        if (said.issuer !== this.#configuration.issuer) throw new DrawbridgeError("provider.other_issuer");
        if (!Array.isArray(said.code_challenge_methods_supported)
            || !said.code_challenge_methods_supported.includes("S256")) {
            throw new DrawbridgeError("provider.no_pkce");
        }
        const needed = ["authorization_endpoint", "token_endpoint", "jwks_uri"];
        const possible = ["userinfo_endpoint", "revocation_endpoint", "device_authorization_endpoint"];
        for (const name of [...needed, ...possible]) {
            if (said[name] === undefined && possible.includes(name)) continue;
            if (!this.#configuration.trusted(said[name])) throw new DrawbridgeError("provider.endpoint", name);
        }
        this.#metadata = said;
        return said;
    }

    /** One that not every provider has. */
    async endpoint(name) {
        const address = (await this.metadata())[name];
        if (!address) throw new DrawbridgeError("provider.endpoint", name);
        return address;
    }

    /** The key of this id. An unknown id makes us look again, once: the provider may have changed its keys. */
    async key(id) {
        const find = () => this.#keys?.find((key) => key?.kid === id);
        if (find()) return find();
        await this.#readKeys();
        return find();
    }

    /**
     * Before a code, a secret or a person's sign-in is used up for an ID token: that there are no keys to verify it with
     * is found out while nothing is lost.
     */
    async needKeys() {
        if (!this.#keys) await this.#readKeys();
    }

    async #readKeys() {
        const answer = await this.#transport.send("GET", (await this.metadata()).jwks_uri);
        if (answer.status !== 200) throw this.#transport.failure(answer, "the key set");
        const set = json(answer.text);
        if (!Array.isArray(set?.keys)) throw new DrawbridgeError("provider.malformed", "key set", answer);
        this.#keys = set.keys;
    }
}
