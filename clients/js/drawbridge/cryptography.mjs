// The platform's cryptography: random words, hashes, and a comparison that takes its time.

import { base64url, utf8 } from "./encoding.mjs";
import { wrong } from "./errors.mjs";

export class Cryptography {
    #crypto;

    constructor(crypto) {
        this.#crypto = crypto;
    }

    get subtle() {
        if (!this.#crypto?.subtle) throw wrong("there is no Web Cryptography here; pass crypto (node.mjs has it)");
        return this.#crypto.subtle;
    }

    random(count) {
        return base64url(this.subtle && this.#crypto.getRandomValues(new Uint8Array(count)));
    }

    async sha256(text) {
        return base64url(await this.subtle.digest("SHA-256", utf8(text)));
    }

    /** `at_hash` and `ds_hash`: the left half of the SHA-256. */
    async halfHash(text) {
        return base64url((await this.subtle.digest("SHA-256", utf8(text))).slice(0, 16));
    }
}

/** Takes the same time wherever two secrets differ. */
export const equal = (left, right) => {
    if (left.length !== right.length) return false;
    let difference = 0;
    for (let at = 0; at < left.length; at += 1) difference |= left.charCodeAt(at) ^ right.charCodeAt(at);
    return difference === 0;
};
