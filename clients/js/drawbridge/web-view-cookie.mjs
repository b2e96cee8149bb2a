// One cookie of a web view: its value, whom it reaches, and which other one has its place.

import { originOf } from "./addresses.mjs";
import { isText } from "./checks.mjs";

/** One cookie for a web view; prints without its value. */
export class WebViewCookie {
    #value;

    constructor(given, url) {
        this.name = given.name;
        this.#value = given.value;
        /** The domain whose hosts get it; null: the host of `url` alone. */
        this.domain = given.domain ?? null;
        this.path = given.path;
        this.expiresAt = Date.parse(given.expires);
        this.httpOnly = given.http_only;
        this.sameSite = given.same_site;
        this.secure = true;
        /** The page that it is for. */
        this.url = url;
    }

    get value() {
        return this.#value;
    }
}

export const isCookie = (cookie) =>
    isText(cookie?.name) && typeof cookie.value === "string" && isText(cookie.path) && isText(cookie.same_site)
    && typeof cookie.http_only === "boolean" && !Number.isNaN(Date.parse(cookie.expires))
    && (cookie.domain === undefined || cookie.domain === null || isText(cookie.domain));

/** Whether a browser would send the cookie to this host (RFC 6265 §5.1.3). */
export const reaches = (cookie, host, origin) => {
    if (!cookie.domain) return host === (cookie.host ?? origin);
    const name = cookie.domain.replace(/^\./, "").toLowerCase();
    // The provider may set cookies for its own domain, and for no other; an address has no domain above it.
    const isAddress = (text) => /^[0-9.]+$|^\[/.test(text);
    return [host, origin].every((one) => one === name || (one.endsWith(`.${name}`) && !isAddress(one)));
};

export const isSamePlace = (left, right) =>
    left.name === right.name && left.domain === right.domain && left.path === right.path
    && originOf(left.url) === originOf(right.url);
