// An answer of the provider, read within bounds.

import { isRequestId } from "./checks.mjs";
import { json } from "./encoding.mjs";
import { DrawbridgeError } from "./errors.mjs";

/** More than any answer of a provider has, in bytes. */
const maximumBody = 1 << 20;

/** What the answer of an address says; one that leads elsewhere, or came from there, is none. */
export const answerOf = (response, text, address) => {
    const header = (name) => response.headers.get(name);
    const requestId = requestIdOf(response);
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
        throw new DrawbridgeError("unexpected_answer", "a redirect, which is never followed", { requestId });
    }
    if (response.redirected || cameFromElsewhere(response.url, address)) {
        throw new DrawbridgeError("unexpected_answer", "it came by a redirect, which this fetch follows", { requestId });
    }
    const nonce = header("dpop-nonce");
    const challenge = header("www-authenticate") ?? "";
    const said = /\berror="([^"]{1,64})"/.exec(challenge)?.[1] ?? null;
    const levels = /\bacr_values="([^"]{1,1024})"/.exec(challenge)?.[1].split(" ").filter(Boolean) ?? [];
    const age = /\bmax_age="([0-9]{1,9})"/.exec(challenge)?.[1];
    const error = json(text)?.error ?? said;
    return {
        status: response.status, text, requestId, type: (header("content-type") ?? "").split(";")[0].trim().toLowerCase(),
        retryAfter: header("retry-after"), challenge: said,
        // How strong and how fresh a sign-in would do (RFC 9470 §3).
        wanted: { acrValues: levels.length ? levels : null, maxAge: age === undefined ? null : Number(age) },
        nonce, wantsNonce: Boolean(nonce) && response.status >= 400 && error === "use_dpop_nonce",
    };
};

/**
 * React Native's fetch follows redirects whatever it is told, and says so by the address alone. An answer that a program
 * made itself has none.
 */
const cameFromElsewhere = (url, address) => Boolean(url) && spelled(url) !== spelled(address);

/** An address by one spelling: a fetch writes it in its own way, and React Native's parser does not take them all. */
const spelled = (address) => {
    try {
        return new URL(address).href;
    } catch {
        return address;
    }
};

/** Every answer of the provider has one (contract §11). */
const requestIdOf = (response) => {
    const id = response.headers.get("x-request-id");
    return isRequestId(id) ? id : null;
};

/** The body as text; an answer that is longer than any of ours is given up, not read. */
export const bounded = async (response, stop) => {
    const tooLong = () => {
        stop.abort();
        return new DrawbridgeError("unexpected_answer", "it is too long", { requestId: requestIdOf(response) });
    };
    if (Number(response.headers.get("content-length") ?? 0) > maximumBody) throw tooLong();
    const reader = response.body?.getReader?.();
    // React Native has no streams: there the length that is announced is all that can be looked at before.
    if (!reader) {
        const text = await response.text();
        if (text.length > maximumBody) throw tooLong();
        return text;
    }
    const chunks = [];
    let length = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        length += value.byteLength;
        if (length > maximumBody) throw tooLong();
        chunks.push(value);
    }
    const whole = new Uint8Array(length);
    let at = 0;
    for (const chunk of chunks) {
        whole.set(chunk, at);
        at += chunk.byteLength;
    }
    return new TextDecoder().decode(whole);
};
