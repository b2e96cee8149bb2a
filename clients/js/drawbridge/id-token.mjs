// ID tokens (OpenID Connect Core §3.1.3.7, Native SSO §3.4).

import { isText } from "./checks.mjs";
import { equal } from "./cryptography.mjs";
import { coder, fromBase64url, json, utf8 } from "./encoding.mjs";
import { DrawbridgeError } from "./errors.mjs";

/** How far two clocks may be apart, in seconds. */
const leeway = 120;

/** Believes those that are the provider's, for this app, and belong to what came with them. */
export class IDTokens {
    #configuration;
    #provider;
    #cryptography;

    constructor(configuration, provider, cryptography) {
        this.#configuration = configuration;
        this.#provider = provider;
        this.#cryptography = cryptography;
    }

    async verified(token, check) {
        if (token === undefined) throw new DrawbridgeError("id_token.missing");
        const taken = parts(token);
        if (!taken) throw flaw("malformed");
        const { header, claims } = taken;
        // Settled here, not by the token: `none` and HS256 with a public key are the classic ways around a signature.
        if (header.alg !== "ES256" || header.crit !== undefined) throw flaw("algorithm");
        const key = isText(header.kid) ? await this.#provider.key(header.kid) : undefined;
        const publicKey = key && (await this.#publicKey(key));
        if (!publicKey) throw flaw("unknown_key");
        const { subtle } = this.#cryptography;
        const ecdsa = { name: "ECDSA", hash: "SHA-256" };
        if (!(await subtle.verify(ecdsa, publicKey, taken.signature, taken.signed))) throw flaw("signature");
        await this.#expect(claims, check);
        return claims;
    }

    /** Whether everything is right but the signature, and the times, which this device's clock may be wrong about. */
    async fits(token, check) {
        const taken = parts(token);
        if (!taken || !isText(taken.header.kid)) return false;
        return this.#expect(taken.claims, { ...check, anyTime: true }).then(() => true, () => false);
    }

    async #expect(claims, check) {
        const { issuer, clientId } = this.#configuration;
        const now = this.#configuration.now() / 1000;
        const names = audiences(claims);
        const isOthers = claims.azp !== clientId;
        if (claims.iss !== issuer) throw flaw("issuer");
        if (!names.includes(clientId) || (names.length > 1 && isOthers) || (claims.azp !== undefined && isOthers)) {
            throw flaw("audience");
        }
        if (!check.anyTime && claims.exp <= now - leeway) throw flaw("expired");
        if (!check.anyTime && claims.iat > now + leeway) throw flaw("issued_in_future");
        if (check.nonce !== undefined && !equal(String(claims.nonce ?? ""), check.nonce)) throw flaw("nonce");
        // The provider's word that it has done what max_age asked for.
        const proved = claims.auth_time;
        if (check.maxAge !== undefined && !(Number.isFinite(proved) && proved >= now - check.maxAge - leeway)) {
            throw flaw("auth_time");
        }
        if (check.subject !== undefined && claims.sub !== check.subject) throw flaw("subject");
        if (claims.at_hash !== undefined
            && !equal(String(claims.at_hash), await this.#cryptography.halfHash(check.accessToken))) {
            throw flaw("access_token_hash");
        }
        // Without `ds_hash` the secret is tied to nothing, and somebody may have put in their own.
        if (check.deviceSecret !== undefined
            && !equal(String(claims.ds_hash ?? ""), await this.#cryptography.halfHash(check.deviceSecret))) {
            throw flaw("device_secret_hash");
        }
    }

    async #publicKey({ kty, crv, use, alg, x, y }) {
        if (kty !== "EC" || crv !== "P-256" || (use ?? "sig") !== "sig" || (alg ?? "ES256") !== "ES256") return null;
        try {
            const ec = { name: "ECDSA", namedCurve: "P-256" };
            return await this.#cryptography.subtle.importKey("jwk", { kty, crv, x, y }, ec, false, ["verify"]);
        } catch {
            return null;
        }
    }
}

const flaw = (name) => new DrawbridgeError(`id_token.${name}`);

/** An ID token taken apart, not believed yet; null when it is not one. */
export const parts = (token) => {
    const pieces = String(token).split(".");
    const bytes = pieces.map(fromBase64url);
    if (pieces.length !== 3 || bytes.includes(null)) return null;
    const decoder = coder("TextDecoder", "utf-8", { fatal: true });
    let header;
    let claims;
    try {
        [header, claims] = bytes.slice(0, 2).map((part) => json(decoder.decode(part)));
    } catch {
        return null;
    }
    const isWhole = header && claims && isText(claims.iss) && isText(claims.sub) && audiences(claims).length > 0
        && Number.isFinite(claims.exp) && Number.isFinite(claims.iat);
    return isWhole ? { header, claims, signature: bytes[2], signed: utf8(pieces.slice(0, 2).join(".")) } : null;
};

/** Whether nothing is known against an ID token: its key is missing, or this device's clock does not fit. */
export const isInconclusive = ({ code }) => isText(code) && (!code.startsWith("id_token.")
    || ["id_token.unknown_key", "id_token.expired", "id_token.issued_in_future"].includes(code));

export const audiences = (claims) => {
    const list = Array.isArray(claims?.aud) ? claims.aud : [claims?.aud];
    return list.every(isText) ? list : [];
};
