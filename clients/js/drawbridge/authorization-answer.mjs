// What the browser brings back (RFC 6749 §4.1.2).

import { cut } from "./addresses.mjs";
import { equal } from "./cryptography.mjs";
import { parameters } from "./encoding.mjs";
import { DrawbridgeError, refused } from "./errors.mjs";

/** The code in what the browser brought back, once every check of RFC 8252 and RFC 9207 has passed. */
export const codeOf = (address, request, issuer, metadata) => {
    const [place, query] = cut(String(address));
    const [expected, own] = cut(request.redirect);
    if (place !== expected || !keepsQuery(own, query)) throw new DrawbridgeError("answer.other_address");
    const found = query === null || query.includes("#") ? null : parameters(query);
    if (!found) throw new DrawbridgeError("answer.malformed");
    const single = (name) => {
        const values = found.filter(([other]) => other === name);
        if (values.length > 1) throw new DrawbridgeError("answer.malformed");
        return values[0]?.[1];
    };
    const state = single("state");
    if (state === undefined || !equal(state, request.state)) throw new DrawbridgeError("answer.foreign_state");
    // Before anything else is read: an answer of another provider must not even make us show its error.
    const sender = single("iss");
    const needed = metadata.authorization_response_iss_parameter_supported === true;
    if (sender === undefined ? needed : sender !== issuer) throw new DrawbridgeError("answer.other_issuer");
    const code = single("code");
    const error = single("error");
    if (error !== undefined) {
        if (code !== undefined || error === "") throw new DrawbridgeError("answer.no_code");
        const description = single("error_description");
        // Whoever gives another reason than the person's own no is heard: there may be something to do about it.
        if (error === "access_denied" && [undefined, "the user declined"].includes(description)) {
            throw new DrawbridgeError("cancelled");
        }
        throw refused({ error, error_description: description });
    }
    if (!code) throw new DrawbridgeError("answer.no_code");
    return code;
};

/** Whether the redirect address's own query came back, with the answer appended to it (RFC 6749 §3.1.2, RFC 8252 §8.10). */
const keepsQuery = (own, query) => !own || `${query ?? ""}&`.startsWith(own.endsWith("&") ? own : `${own}&`);
