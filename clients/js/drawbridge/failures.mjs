// What an answer that brings nothing means (contract §11).

import { isRequestId, isText } from "./checks.mjs";
import { json } from "./encoding.mjs";
import { DrawbridgeError, refused } from "./errors.mjs";

export const failure = (answer, what, configuration) => {
    const { status } = answer;
    const body = json(answer.text);
    const more = {
        // Every answer has it in its header, a refusal's body besides (contract §11).
        requestId: isRequestId(body?.request_id) ? body.request_id : answer.requestId,
        page: configuration.page(body?.error_uri),
    };
    if ([429, 502, 503, 504].includes(status)) {
        const seconds = secondsOf(answer.retryAfter, () => configuration.now());
        return new DrawbridgeError("come_back_later", undefined, { ...more, seconds });
    }
    if (status >= 400 && status < 500) {
        const said = isText(body?.error) ? body
            : answer.challenge || status === 401 ? { error: answer.challenge ?? "invalid_token" } : null;
        if (said) return refused(said, { ...more, ...answer.wanted });
    }
    return new DrawbridgeError("unexpected_answer", `${what} answered ${status}`, more);
};

/** Seconds of `Retry-After`, which is a number or a date (RFC 9110 §10.2.3). */
const secondsOf = (text, now) => {
    if (text === null || text === undefined) return null;
    if (/^[0-9]{1,9}$/.test(text.trim())) return Number(text);
    // Date.parse takes much more for a date than the grammar does.
    const date = /^[A-Z][a-z]{2,8}, /.test(text) ? Date.parse(text) : NaN;
    return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now()) / 1000));
};
