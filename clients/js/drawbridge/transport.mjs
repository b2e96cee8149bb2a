// HTTP: no redirects, no cookies, no cache, bounded in time and size.

import { answerOf, bounded } from "./answers.mjs";
import { form } from "./encoding.mjs";
import { DrawbridgeError } from "./errors.mjs";
import { failure } from "./failures.mjs";

export class Transport {
    #configuration;
    #proofs;

    constructor(configuration, proofs) {
        this.#configuration = configuration;
        this.#proofs = proofs;
    }

    async send(method, address, request = {}) {
        const proves = Boolean(this.#configuration.dpop && request.proves);
        const first = await this.#sendOnce(method, address, request, proves);
        // A nonce that we did not have, or that is stale: once more with the one that came along (RFC 9449 §8).
        return proves && first.wantsNonce ? this.#sendOnce(method, address, request, proves) : first;
    }

    failure(answer, what) {
        return failure(answer, what, this.#configuration);
    }

    async #sendOnce(method, address, { body, type, form: members, accept, token, longest }, proves) {
        const headers = { accept: accept ?? "application/json" };
        if (token !== undefined) headers.authorization = `${proves ? "DPoP" : "Bearer"} ${token}`;
        if (proves) headers.dpop = await this.#proofs.proof(method, address, token);
        const content = members ? form(members) : body;
        if (content !== undefined) headers["content-type"] = members ? "application/x-www-form-urlencoded" : type;
        const stop = new AbortController();
        let timer;
        // Beside the signal: not every fetch ends a body that is being read when it is told to stop.
        const late = new Promise((_, fail) => {
            timer = setTimeout(() => {
                fail(new DrawbridgeError("unreachable", "it takes too long"));
                stop.abort();
            }, Math.min(this.#configuration.timeout, longest ?? this.#configuration.timeout));
        });
        const place = `${method} ${address.split("?")[0]}`;
        try {
            const answer = this.#configuration.fetch(address, {
                method, headers, body: content, redirect: "manual", credentials: "omit", cache: "no-store",
                referrerPolicy: "no-referrer", signal: stop.signal,
            }).then(async (response) => ({ response, text: await bounded(response, stop) }));
            answer.catch(() => {});
            const { response, text } = await Promise.race([answer, late]);
            this.#log(`${place}: ${response.status}`);
            const read = answerOf(response, text, address);
            this.#proofs.remember(address, read.nonce);
            return read;
        } catch (error) {
            const problem = error instanceof DrawbridgeError ? error
                : new DrawbridgeError("unreachable", obstacle(error));
            this.#log(`${place}: ${problem.code}`);
            throw problem;
        } finally {
            clearTimeout(timer);
        }
    }

    /** Nobody waits for the logger, and one that fails changes nothing. */
    async #log(line) {
        try {
            await this.#configuration.logger?.("debug", line);
        } catch {
            // Where would it be told?
        }
    }
}

/**
 * Why no whole answer came, in words for whoever runs the program; asking again mends no certificate. Browsers do not say
 * it to scripts; Node has a code from OpenSSL or of its own.
 */
const obstacle = (error) => {
    const code = String(error?.cause?.code ?? "");
    if (/CERT|_LEAF_SIGNATURE$/.test(code)) return "its certificate is not trusted";
    if (/^(ERR_SSL_|EPROTO$)/.test(code)) return "it speaks no TLS, or none in common with this program";
    return "no connection, or it broke";
};
