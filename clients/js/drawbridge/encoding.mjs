// UTF-8, base64url, JSON, forms and queries.

import { wrong } from "./errors.mjs";

/** One of the coders of UTF-8, looked up when it is needed: React Native may lack them, and a bearer does without. */
export const coder = (name, ...settings) => {
    if (!globalThis[name]) throw wrong(`there is no ${name} here; add a polyfill`);
    return new globalThis[name](...settings);
};

export const utf8 = (text) => coder("TextEncoder").encode(text);

export const base64url = (bytes) => {
    let text = "";
    for (const byte of new Uint8Array(bytes)) text += String.fromCharCode(byte);
    return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

/** The bytes, or null for anything that `base64url` would not have written: a token has one spelling. */
export const fromBase64url = (text) => {
    if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null;
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return base64url(bytes) === text ? bytes : null;
};

export const json = (text) => {
    try {
        const value = JSON.parse(text);
        return value !== null && typeof value === "object" && !Array.isArray(value) ? value : null;
    } catch {
        return null;
    }
};

/** JSON may hold halves of characters, which no URL can: they become U+FFFD, as in a form of HTML. */
const wellFormed = (text) => String(text).replace(/[\ud800-\udfff]/gu, "\ufffd");

const escape = (text) =>
    encodeURIComponent(wellFormed(text)).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

export const form = (parameters) =>
    Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => `${escape(name)}=${escape(value)}`).join("&");

/** The parameters of a query in order, or null when an escape is broken. */
export const parameters = (query) => {
    try {
        return query.split("&").filter(Boolean).map((pair) => {
            const at = pair.indexOf("=");
            const parts = at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
            return parts.map((part) => decodeURIComponent(part.replaceAll("+", " ")));
        });
    } catch {
        return null;
    }
};
