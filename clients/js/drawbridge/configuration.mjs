// What an app says of itself and of its provider, and what it brings of its platform.

import { isPrivateUse, secureAddress } from "./addresses.mjs";
import { isText } from "./checks.mjs";
import { wrong } from "./errors.mjs";
import { pause } from "./giving-up.mjs";
import { memoryStore } from "./stores.mjs";

/** What a timer takes, in milliseconds: beyond it, it fires at once. */
const longestTimer = 2 ** 31 - 1;

/** Checked once, and the same for as long as the app runs. */
export class Configuration {
    constructor(options) {
        const address = secureAddress(options?.issuer);
        if (!address) throw wrong("the issuer must be https://…, or http:// on this machine alone");
        if (/[?#]|\/$/.test(address.text)) throw wrong("an issuer has neither a query nor a slash at its end");
        if (options.clientId !== undefined && !isText(options.clientId)) throw wrong("the clientId is empty");
        const redirect = options.redirectUri;
        if (redirect !== undefined && !secureAddress(redirect) && !isPrivateUse(redirect)) {
            throw wrong("the redirectUri could be received by another app or host");
        }
        this.issuer = address.text;
        this.host = address.host;
        this.isLoopback = address.isLoopback;
        this.clientId = options.clientId;
        this.redirectUri = redirect;
        this.group = options.sharing ?? null;
        const given = options.scope ?? ["profile", "offline_access"];
        words(given, "the scope");
        const scope = given.filter((s) => s !== "openid" && s !== "device_sso");
        this.scope = ["openid", ...scope, ...(this.group === null ? [] : ["device_sso"])];
        this.store = options.store ?? memoryStore();
        this.browser = options.browser;
        this.webView = options.webView;
        this.fetch = options.fetch ?? globalThis.fetch?.bind(globalThis);
        if (!this.fetch) throw wrong("there is no fetch here; pass one");
        this.crypto = options.crypto ?? globalThis.crypto;
        this.now = options.now ?? Date.now;
        this.sleep = options.sleep ?? pause;
        this.timeout = options.timeout ?? 30000;
        if (!(Number.isFinite(this.timeout) && this.timeout > 0 && this.timeout <= longestTimer)) {
            throw wrong("the timeout must be a positive number of milliseconds, at most 2147483647");
        }
        this.logger = options.logger;
        this.dpop = options.dpop ?? false;
    }

    needClient() {
        if (this.clientId === undefined) throw wrong("this needs the app's clientId");
    }

    /** A secure address; one of this machine in plain http only for a provider that is there as well. */
    trusted(text) {
        const address = secureAddress(text);
        return address && (this.isLoopback || !address.isLoopback) ? address : null;
    }

    /** A page of the provider itself, for people to open; null for any other address. */
    page(text) {
        const page = this.trusted(text);
        return page?.host === this.host ? page.text : null;
    }
}

/** Those of a list, with spaces between; undefined where nothing is given. */
export const words = (given, what) => {
    if (given === undefined || given === null) return undefined;
    if (!Array.isArray(given) || !given.every(isText)) throw wrong(`${what} must be a list of words`);
    return given.join(" ") || undefined;
};
