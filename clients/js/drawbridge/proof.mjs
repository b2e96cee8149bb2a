// Proof of possession (RFC 9449).

import { originOf } from "./addresses.mjs";
import { base64url, json, utf8 } from "./encoding.mjs";
import { ofHost } from "./errors.mjs";

/** Makes proofs with one key, and knows the nonce that each server wants in them. */
export class Proofs {
    #configuration;
    #vault;
    #cryptography;
    #nonces = new Map();
    #key;

    constructor(configuration, vault, cryptography) {
        this.#configuration = configuration;
        this.#vault = vault;
        this.#cryptography = cryptography;
        this.#key = configuration.dpop;
    }

    /** The key that tokens are bound to: the app's own, or one that is made once and kept in the store. */
    async #proofKey() {
        if (typeof this.#key === "object") return this.#key;
        return this.#vault.locked(`key ${this.#vault.keyItem}`, async () => {
            if (typeof this.#key === "object") return this.#key;
            const ec = { name: "ECDSA", namedCurve: "P-256" };
            let jwk = json((await this.#vault.read(this.#vault.keyItem)) ?? "");
            const read = async () => this.#cryptography.subtle.importKey("jwk", jwk, ec, false, ["sign"]);
            // No token can be proved by a damaged one: a new key takes its place.
            let key = jwk && (await read().catch(() => null));
            if (!key) {
                const pair = await this.#cryptography.subtle.generateKey(ec, true, ["sign"]);
                jwk = await this.#cryptography.subtle.exportKey("jwk", pair.privateKey);
                await this.#vault.write(this.#vault.keyItem, JSON.stringify(jwk));
                key = await read();
            }
            const ecdsa = { name: "ECDSA", hash: "SHA-256" };
            this.#key = {
                publicKey: { kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y },
                sign: (bytes) => this.#cryptography.subtle.sign(ecdsa, key, bytes),
            };
            return this.#key;
        });
    }

    /** The public half, its members in the order of RFC 7638. */
    async #proofJWK() {
        const key = await this.#proofKey();
        return ofHost("the proof key", () => {
            const { crv, kty, x, y } = key.publicKey;
            return { crv, kty, x, y };
        });
    }

    async thumbprint() {
        return this.#cryptography.sha256(JSON.stringify(await this.#proofJWK()));
    }

    async proof(method, address, token) {
        const key = await this.#proofKey();
        const target = address.split("?")[0];
        const claims = {
            jti: this.#cryptography.random(16), htm: method, htu: target,
            iat: Math.floor(this.#configuration.now() / 1000), nonce: this.#nonces.get(originOf(address)),
            ath: token && (await this.#cryptography.sha256(token)),
        };
        const header = { typ: "dpop+jwt", alg: "ES256", jwk: await this.#proofJWK() };
        const text = [header, claims].map((part) => base64url(utf8(JSON.stringify(part)))).join(".");
        const signature = await ofHost("the proof key", async () => base64url(await key.sign(utf8(text))));
        return `${text}.${signature}`;
    }

    remember(address, nonce) {
        if (nonce && /^[!-~]{1,1024}$/.test(nonce)) this.#nonces.set(originOf(address), nonce);
    }
}
