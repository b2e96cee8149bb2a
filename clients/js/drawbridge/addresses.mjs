// Addresses that secrets may be sent to, and those that an answer may come back to.

const loopback = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** `{text, host, isLoopback}` of an address that secrets may be sent to; null for every other one. */
export const secureAddress = (text) => {
    // Parsers of URLs disagree about the odd ones, and here the odd ones are refused before any parser sees them.
    const found = typeof text === "string" && text.length <= 2048
        && /^(https?):\/\/(\[[0-9a-f:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]*)(?::([1-9][0-9]{0,4}))?(?=[/?]|$)[!$-.\/0-;=?A-Z\[\]_a-z~]*$/.exec(text);
    if (!found || Number(found[3] ?? 1) > 65535) return null;
    const host = found[2].toLowerCase();
    const isLoopback = found[1] === "http";
    if (isLoopback && !loopback.has(host)) return null;
    return { text, host, isLoopback };
};

/** `com.example.app:/callback`: a domain turned round, then one slash (RFC 8252 §7.1). */
export const isPrivateUse = (text) => /^[a-z0-9-]+(\.[a-z0-9-]+)+:\/(?!\/)[!-~]*$/.test(text) && !text.includes("#");

/** An address in two: up to its first question mark, and the query after it; null when it has none. */
export const cut = (address) => {
    const at = address.indexOf("?");
    return at < 0 ? [address, null] : [address.slice(0, at), address.slice(at + 1)];
};

export const originOf = (address) => address.split("/").slice(0, 3).join("/");
