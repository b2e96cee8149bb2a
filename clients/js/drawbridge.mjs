// Drawbridge for apps written in JavaScript: Node 18 and later, browsers, React Native, Electron. No dependencies.
//
//     const link = await new Drawbridge({ issuer: "https://www.example.com" }).openURL("/contacts", { bearer });
//     openInTheBrowser(link.url);
//
// What the platform has of its own (fetch, storage, browser, web view, cryptography) comes in by the options, each a
// small interface; drawbridge.d.mts describes them. Nothing here logs, prints or keeps a token outside of the store.

/** More than any answer of a provider has, in bytes. */
const maximumBody = 1 << 20;
/** How far two clocks may be apart, in seconds. */
const leeway = 120;
/** How many earlier sign-ins of the person an app keeps, to end them at its sign-out. The oldest of more end at once. */
const mostEarlier = 8;
/** Seconds for which a code of another device is asked for at most. */
const longestCode = 86400;
/**
 * Milliseconds for the answer of a renewal, at most: a refresh token whose answer was lost gives the same successor for
 * 10 s and is a theft after that (contract §5.2), so the app has to hear of the loss while it can still ask again.
 */
const longestRenewal = 6000;
/** What a timer takes, in milliseconds: beyond it, it fires at once. */
const longestTimer = 2 ** 31 - 1;
const cookieType = "application/vnd.drawbridge.cookies+json";
const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";
const idTokenType = "urn:ietf:params:oauth:token-type:id_token";
const deviceSecretType = "urn:openid:params:token-type:device-secret";
const exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange";
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

// --- Errors -------------------------------------------------------------------------------------------------------

const sentences = {
    "configuration": "The app's settings or the arguments of a call cannot work; correct what is named here",
    "unreachable": "No whole answer came from the provider; check the network and ask again",
    "come_back_later": "The provider asks to come back later; wait before you ask again",
    "refused": "The provider refused the request",
    "unexpected_answer": "The answer is not one that this request can have; check that the issuer is a Drawbridge",
    "provider.other_issuer": "The provider's description names another issuer; set the issuer to what it calls itself",
    "provider.endpoint": "An endpoint in the provider's description is missing or not https; "
        + "mend the provider's configuration",
    "provider.no_pkce": "The provider does not know PKCE with S256, without which no app should sign in; "
        + "check that the issuer is a Drawbridge",
    "provider.malformed": "A document of the provider cannot be read; check that the issuer is a Drawbridge",
    "answer.other_address": "The browser's answer came to another address than the redirect_uri; drop it",
    "answer.malformed": "The browser's answer cannot be read or says something twice; let the person sign in again",
    "answer.foreign_state": "The browser's answer does not belong to this sign-in and may be somebody else's; drop it",
    "answer.other_issuer": "The browser's answer comes from another provider than the one that was asked; drop it",
    "answer.no_code": "The browser's answer has no code, or a code and an error; let the person sign in again",
    "id_token.missing": "The answer has no ID token; put openid into the app's scope",
    "id_token.malformed": "The ID token cannot be read as a JWT with the claims that every one has; "
        + "check that the issuer is a Drawbridge",
    "id_token.algorithm": "The ID token is not signed with ES256; set id_token_signed_response_alg of the app to ES256",
    "id_token.unknown_key": "The ID token's key is not among those that the provider publishes; "
        + "check what the provider's jwks_uri serves",
    "id_token.signature": "The signature of the ID token does not fit, somebody may have changed it; "
        + "let the person sign in again",
    "id_token.issuer": "The ID token is of another provider than the one that was asked; check the issuer",
    "id_token.audience": "The ID token is meant for another app; check the client_id",
    "id_token.expired": "The ID token has expired; check this device's clock",
    "id_token.issued_in_future": "The ID token is from the future; check this device's clock",
    "id_token.nonce": "The nonce of the ID token is of another sign-in; let the person sign in again",
    "id_token.auth_time": "The ID token does not show that the person signed in as lately as maxAge wants; "
        + "let the person sign in again",
    "id_token.subject": "The answer is about somebody else than the person who is signed in; "
        + "let the person sign in again",
    "id_token.access_token_hash": "The ID token belongs to another access token (at_hash), so the answer was put together; "
        + "let the person sign in again",
    "id_token.device_secret_hash": "The ID token belongs to another device secret (ds_hash), so the answer was put together; "
        + "let the person sign in again",
    "not_signed_in": "Nobody is signed in in this app; let the person sign in first",
    "secret_store": "The place for secrets does not work; see what the store reports",
    "signed_out_here_only": "Signed out on this device, but the provider could not be told and its sessions run on; "
        + "tell the person, who can end them on the account page",
    "cancelled": "The person closed the browser or said no; show no error, and offer the sign-in again",
    "timed_out": "No answer came in time from the person who should sign in; offer the sign-in again",
};

/** What can be done about a refusal that developers meet. */
const advice = {
    __proto__: null,
    invalid_token: "the bearer is expired, revoked or not of a trusted issuer: get a fresh one",
    invalid_redirect: "the page is not open to links: add the path to the website's return_paths",
    invalid_target: "there is no such website: check the website's client_id",
    unauthorized_client: "this app may not do that: see can_issue_login_tokens and may_reach of the app",
    invalid_grant: "the grant is used up or ended: let the person sign in again",
    invalid_scope: "ask for no more than the app is registered for",
    invalid_client: "check the client_id",
    access_denied: "the app or the person may not: see who may, in the app's registration and the provider's log",
    login_required: "let the person sign in again",
    insufficient_user_authentication: "let the person sign in again, with the acr_values and max_age that it names",
};
const otherAdvice = "look its code up on the provider's page /errors";

/** Every error of this library: `code` is stable, the message says what is wrong and what to do; no secret is in it. */
export class DrawbridgeError extends Error {
    constructor(code, detail, more = {}) {
        const hint = code === "refused" ? advice[more.oauth] ?? otherAdvice : undefined;
        const seconds = more.seconds == null ? undefined : `${more.seconds} s`;
        super([sentences[code] ?? code, printable(detail ?? seconds), hint].filter(Boolean).join(": "));
        this.name = "DrawbridgeError";
        this.code = code;
        this.oauth = more.oauth ?? null;
        this.seconds = more.seconds ?? null;
        this.requestId = more.requestId ?? null;
        this.page = more.page ?? null;
        this.acrValues = more.acrValues ?? null;
        this.maxAge = more.maxAge ?? null;
    }

    /** The grant, secret or session that was relied on is gone: sign in again. */
    get endsSignIn() {
        return this.code === "refused" && (this.oauth === "invalid_grant" || this.oauth === "invalid_token");
    }
}

// Without control characters: a terminal would obey them.
const printable = (text) =>
    // eslint-disable-next-line no-control-regex
    text === undefined ? undefined : String(text).replace(/[\u0000-\u001f\u007f-\u009f]/g, "?").slice(0, 300);

const refused = (body, more = {}) => new DrawbridgeError("refused", refusalText(body), { ...more, oauth: body.error });

const refusalText = (body) =>
    typeof body.error_description === "string" && body.error_description !== ""
        ? `${body.error} (${body.error_description})` : body.error;

// --- Text ---------------------------------------------------------------------------------------------------------

/** One of the coders of UTF-8, looked up when it is needed: React Native may lack them, and a bearer does without. */
const coder = (name, ...settings) => {
    if (!globalThis[name]) throw new DrawbridgeError("configuration", `there is no ${name} here; add a polyfill`);
    return new globalThis[name](...settings);
};

const utf8 = (text) => coder("TextEncoder").encode(text);

const base64url = (bytes) => {
    let text = "";
    for (const byte of new Uint8Array(bytes)) text += String.fromCharCode(byte);
    return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

/** The bytes, or null for anything that `base64url` would not have written: a token has one spelling. */
const fromBase64url = (text) => {
    if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null;
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return base64url(bytes) === text ? bytes : null;
};

const json = (text) => {
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

const form = (parameters) =>
    Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => `${escape(name)}=${escape(value)}`).join("&");

/** An address in two: up to its first question mark, and the query after it; null when it has none. */
const cut = (address) => {
    const at = address.indexOf("?");
    return at < 0 ? [address, null] : [address.slice(0, at), address.slice(at + 1)];
};

/** Whether the redirect address's own query came back, with the answer appended to it (RFC 6749 §3.1.2, RFC 8252 §8.10). */
const keepsQuery = (own, query) => !own || `${query ?? ""}&`.startsWith(own.endsWith("&") ? own : `${own}&`);

/** The parameters of a query in order, or null when an escape is broken. */
const parameters = (query) => {
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

/** Takes the same time wherever two secrets differ. */
const equal = (left, right) => {
    if (left.length !== right.length) return false;
    let difference = 0;
    for (let at = 0; at < left.length; at += 1) difference |= left.charCodeAt(at) ^ right.charCodeAt(at);
    return difference === 0;
};

const loopback = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** `{text, host, origin, isLoopback}` of an address that secrets may be sent to; null for every other one. */
const secureAddress = (text) => {
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
const isPrivateUse = (text) => /^[a-z0-9-]+(\.[a-z0-9-]+)+:\/(?!\/)[!-~]*$/.test(text) && !text.includes("#");

const isText = (value) => typeof value === "string" && value !== "";

/** What may stand in a header: one with a line break would write headers of its own (RFC 6749 appendix A.12). */
const isVisible = (value) => typeof value === "string" && /^[!-~]+$/.test(value);

/** One that a line of a log can hold, for people to pass on. */
const isRequestId = (value) => isVisible(value) && value.length <= 128;

/** Those of a list, with spaces between; undefined where nothing is given. */
const words = (given, what) => {
    if (given === undefined || given === null) return undefined;
    if (!Array.isArray(given) || !given.every(isText)) throw new DrawbridgeError("configuration", `${what} must be a list of words`);
    return given.join(" ") || undefined;
};

const isLoginCode = (value) => typeof value === "string" && /^[0-9]{6}$/.test(value);

// --- Values that hold secrets -------------------------------------------------------------------------------------

/** An address that signs a browser in, once, for at most a minute. It prints as `<login link>`; `url` is the address. */
export class LoginLink {
    #url;
    #headers;
    #code;

    constructor(url, headers, expiresAt, code = null) {
        this.#url = url;
        this.#headers = headers;
        this.#code = code;
        /** Until when it works, milliseconds since 1970 by this device's clock. */
        this.expiresAt = expiresAt;
    }

    /** What to open, at once. Never log, copy or share it. */
    get url() {
        return this.#url;
    }

    /** To be sent with the first request: empty, or the token when it is not to be in the address. */
    get headers() {
        return { ...this.#headers };
    }

    /**
     * Six digits to show to the person, who types them into the page; null where the website asks for none. Never send
     * them along with the link.
     */
    get code() {
        return this.#code;
    }

    toString() {
        return "<login link>";
    }

    toJSON() {
        return "<login link>";
    }
}

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

// --- Stores -------------------------------------------------------------------------------------------------------

/** Runs work on one name one after another. */
const queues = () => {
    const ends = new Map();
    return async (name, work) => {
        const before = ends.get(name) ?? Promise.resolve();
        const result = before.then(work);
        const end = result.then(() => {}, () => {});
        ends.set(name, end);
        try {
            return await result;
        } finally {
            if (ends.get(name) === end) ends.delete(name);
        }
    };
};

/** Keeps secrets as long as the process lives. */
export const memoryStore = () => {
    const kept = new Map();
    return {
        get: async (name) => kept.get(name) ?? null,
        set: async (name, value) => void kept.set(name, value),
        remove: async (name) => void kept.delete(name),
        lock: queues(),
    };
};

// --- The client ---------------------------------------------------------------------------------------------------

export class Drawbridge {
    #issuer;
    #isLoopback;
    #clientId;
    #redirectUri;
    #scope;
    #group;
    #store;
    #browser;
    #webView;
    #fetch;
    #crypto;
    #now;
    #sleep;
    #timeout;
    #logger;
    #dpop;
    #nonces = new Map();
    #metadata = null;
    #keys = null;
    #renewing = null;
    #lock;

    constructor(options) {
        const wrong = (text) => new DrawbridgeError("configuration", text);
        const address = secureAddress(options?.issuer);
        if (!address) throw wrong("the issuer must be https://…, or http:// on this machine alone");
        if (/[?#]|\/$/.test(address.text)) throw wrong("an issuer has neither a query nor a slash at its end");
        if (options.clientId !== undefined && !isText(options.clientId)) throw wrong("the clientId is empty");
        const redirect = options.redirectUri;
        if (redirect !== undefined && !secureAddress(redirect) && !isPrivateUse(redirect)) {
            throw wrong("the redirectUri could be received by another app or host");
        }
        this.#issuer = address.text;
        this.#isLoopback = address.isLoopback;
        this.#clientId = options.clientId;
        this.#redirectUri = redirect;
        this.#group = options.sharing ?? null;
        const given = options.scope ?? ["profile", "offline_access"];
        words(given, "the scope");
        const scope = given.filter((s) => s !== "openid" && s !== "device_sso");
        this.#scope = ["openid", ...scope, ...(this.#group === null ? [] : ["device_sso"])];
        this.#store = options.store ?? memoryStore();
        this.#browser = options.browser;
        this.#webView = options.webView;
        this.#fetch = options.fetch ?? globalThis.fetch?.bind(globalThis);
        if (!this.#fetch) throw wrong("there is no fetch here; pass one");
        this.#crypto = options.crypto ?? globalThis.crypto;
        this.#now = options.now ?? Date.now;
        this.#sleep = options.sleep ?? pause;
        this.#timeout = options.timeout ?? 30000;
        if (!(Number.isFinite(this.#timeout) && this.#timeout > 0 && this.#timeout <= longestTimer)) {
            throw wrong("the timeout must be a positive number of milliseconds, at most 2147483647");
        }
        this.#logger = options.logger;
        this.#dpop = options.dpop ?? false;
        const locks = globalThis.navigator?.locks;
        this.#lock = this.#store.lock?.bind(this.#store)
            ?? (locks ? (name, work) => locks.request(name, work) : queues());
    }

    // --- From the app onto the web (contract §3) ---

    /**
     * A link that opens a page of the website, signed in.
     * With `bearer` any backend's token that the provider trusts; without, the token of this app's own sign-in.
     */
    async openURL(path, { bearer, website, carrier = "query" } = {}) {
        // Another word would put the token into the address, against the app's will.
        if (carrier !== "query" && carrier !== "header") {
            throw new DrawbridgeError("configuration", "the carrier must be \"query\" or \"header\"");
        }
        const wish = JSON.stringify({ redirect: path ?? undefined, client_id: website ?? undefined });
        const given = typeof bearer === "function" ? await ofHost("the bearer", () => bearer()) : bearer;
        // What has none to give does not mean the app's own sign-in.
        if ((given !== undefined || typeof bearer === "function") && !isVisible(given)) {
            throw new DrawbridgeError("configuration", "the bearer is empty or not a token");
        }
        const ask = async (token, proves) => {
            const answer = await this.#send("POST", `${this.#issuer}/api/auth/create-sso-token`, {
                body: wish, type: "application/json", token, proves,
            });
            if (answer.status !== 200) throw this.#failure(answer, "the login token endpoint");
            return answer;
        };
        const answer = given === undefined
            ? await this.#withToken((signIn) => ask(signIn.access_token, signIn.bound)) : await ask(given, false);
        return this.#link(json(answer.text), answer, carrier);
    }

    #link(answer, { requestId }, carrier) {
        const unexpected = (what) => new DrawbridgeError("unexpected_answer", what, { requestId });
        const target = secureAddress(answer?.login_url);
        const life = answer?.expires_in;
        if (!target || (target.isLoopback && !this.#isLoopback) || !Number.isFinite(life) || life <= 0) {
            throw unexpected("it holds no login address to be trusted");
        }
        const expiresAt = this.#now() + 1000 * life;
        const code = answer.login_code ?? null;
        if (code !== null && !isLoginCode(code)) throw unexpected("its login code is not six digits");
        if (carrier !== "header") return new LoginLink(target.text, {}, expiresAt, code);
        if (!isVisible(answer.token)) throw unexpected("it holds no token for the header");
        const [address, query] = cut(target.text);
        const rest = (query ?? "").split("&").filter((pair) => pair !== "" && !pair.startsWith("token=")).join("&");
        const url = rest === "" ? address : `${address}?${rest}`;
        if (url.includes(answer.token)) throw unexpected("the token is in the path");
        return new LoginLink(url, { "Drawbridge-Login-Token": answer.token }, expiresAt, code);
    }

    // --- Sign-in through the browser (RFC 8252, OpenID Connect Core §3.1) ---

    /** Opens the browser, checks what comes back, keeps the tokens. Gives the claims of the ID token. */
    async signIn(options = {}) {
        if (!this.#browser) throw new DrawbridgeError("configuration", "signIn needs a browser among the options");
        this.#needClient();
        const levels = words(options.acrValues, "acrValues");
        const languages = words(options.languages, "the languages");
        const metadata = await this.#provider();
        await this.#needKeys();
        const request = {
            state: this.#random(16), nonce: this.#random(16), verifier: this.#random(32), maxAge: options.maxAge ?? undefined,
        };
        // Whatever can fail comes before the browser is prepared: its open port would keep the app's process alive.
        const members = {
            response_type: "code", client_id: this.#clientId, scope: this.#scope.join(" "),
            state: request.state, nonce: request.nonce, code_challenge: await this.#sha256(request.verifier),
            code_challenge_method: "S256", login_hint: options.loginHint, prompt: options.prompt,
            acr_values: levels, max_age: options.maxAge, ui_locales: languages,
            dpop_jkt: this.#dpop ? await this.#thumbprint() : undefined,
        };
        const { signal } = options;
        if (signal?.aborted) throw new DrawbridgeError("cancelled");
        const redirect = (await ofHost("the browser", () => this.#browser.prepare?.({ signal }))) ?? this.#redirectUri;
        if (!secureAddress(redirect) && !isPrivateUse(redirect ?? "")) {
            throw new DrawbridgeError("configuration", "there is no redirectUri to come back to");
        }
        request.redirect = redirect;
        const { authorization_endpoint: endpoint } = metadata;
        const address = `${endpoint}${endpoint.includes("?") ? "&" : "?"}${form({ ...members, redirect_uri: redirect })}`;
        // What has come back is redeemed whatever the signal says then: half a sign-in would stay at the provider.
        const answer = await unless(signal, () =>
            ofHost("the browser", () => this.#browser.open(address, { redirectUri: redirect, signal })));
        return this.#redeem(this.#code(answer, request, metadata), request);
    }

    /** The code in what the browser brought back, once every check of RFC 8252 and RFC 9207 has passed. */
    #code(address, request, metadata) {
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
        const issuer = single("iss");
        const needed = metadata.authorization_response_iss_parameter_supported === true;
        if (issuer === undefined ? needed : issuer !== this.#issuer) throw new DrawbridgeError("answer.other_issuer");
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
    }

    async #redeem(code, request) {
        let shared = null;
        let tokens = null;
        try {
            const claims = await this.#sharing(async () => {
                shared = await this.#shared();
                tokens = await this.#token({
                    grant_type: "authorization_code", code, redirect_uri: request.redirect, code_verifier: request.verifier,
                    // A device that is known stays one device; a secret that is no longer good counts as absent (§5.1).
                    device_secret: shared?.device_secret,
                });
                const found = await this.#verified(tokens.id_token, {
                    nonce: request.nonce, maxAge: request.maxAge, accessToken: tokens.access_token,
                    deviceSecret: tokens.device_secret,
                });
                if (tokens.device_secret) await this.#share(tokens.device_secret, tokens.id_token);
                return found;
            });
            await this.#begin(tokens, claims);
            return claims;
        } catch (error) {
            if (tokens) await this.#abandon(tokens, shared);
            throw error;
        }
    }

    // --- Without a person: by what this app has kept, else by what another left on the device (Native SSO §4) ---

    /**
     * Tries to sign in without a person: `{signedIn: true, claims}` or `{signedIn: false, reason, error}`. Whoever is
     * signed in already stays so, with the claims of that sign-in; no second one is made.
     */
    async signInSilently() {
        try {
            this.#needClient();
            const claims = await this.#kept();
            if (claims) return { signedIn: true, claims };
            const nothing = { signedIn: false, reason: "nothing_shared", error: null };
            const look = () => this.#sharing(() => this.#shared());
            if (!(await look())) return nothing;
            await this.#needKeys();
            // Once more: while keys are fetched another app's renewal may replace the secret, and the old one would be
            // a replay (contract §5.4).
            const shared = await look();
            return shared ? await this.#exchange(shared) : nothing;
        } catch (error) {
            const problem = this.#typed(error);
            const reason = problem.code.startsWith("id_token.") ? "not_believed"
                : problem.code === "refused" ? "refused" : "failed";
            return { signedIn: false, reason, error: problem };
        }
    }

    /** The claims of this app's own sign-in, renewed when it is due; null when there is none, or the provider has ended it. */
    async #kept() {
        const signIn = await this.#stored();
        // One that an earlier version kept has no claims, and is made anew this once.
        if (!signIn || signIn.claims?.sub !== signIn.subject) return null;
        try {
            return (await this.#current()).claims ?? null;
        } catch (error) {
            if (error.code === "not_signed_in") return null;
            // No network, a busy or broken provider: nothing has ended it, and no browser would get further.
            if (["unreachable", "come_back_later", "unexpected_answer"].includes(error.code)) return signIn.claims;
            throw error;
        }
    }

    async #exchange(shared) {
        const before = parts(shared.id_token)?.claims;
        const fits = before && isText(before.ds_hash) && equal(before.ds_hash, await this.#halfHash(shared.device_secret));
        if (!fits) return { signedIn: false, reason: "parts_do_not_fit", error: null };
        const tokens = await this.#token({
            grant_type: exchangeGrant, audience: this.#issuer, subject_token: shared.id_token,
            subject_token_type: idTokenType, actor_token: shared.device_secret, actor_token_type: deviceSecretType,
            scope: this.#scope.join(" "),
        }).catch(async (error) => {
            if (error.oauth === "invalid_grant") await this.#forgetShared(shared);
            throw error;
        });
        try {
            const claims = await this.#verified(tokens.id_token, {
                subject: before.sub, accessToken: tokens.access_token,
                deviceSecret: tokens.device_secret ?? shared.device_secret,
            });
            if (tokens.device_secret && tokens.device_secret !== shared.device_secret) {
                await this.#share(tokens.device_secret, tokens.id_token);
            }
            await this.#begin(tokens, claims);
            return { signedIn: true, claims };
        } catch (error) {
            // The device is not this app's alone: its secret stays.
            await this.#drop(tokens);
            throw error;
        }
    }

    // --- Sign-in without a browser (RFC 8628) ---

    /**
     * Shows a code by `show({userCode, verificationUri, completeUri, expiresAt})` and asks until the person answers, or the
     * signal ends the asking.
     */
    async signInByDevice(show, { signal } = {}) {
        this.#needClient();
        const address = (await this.#provider()).device_authorization_endpoint;
        if (!address) throw new DrawbridgeError("provider.endpoint", "device_authorization_endpoint");
        await this.#needKeys();
        // What a device cannot have is not asked for.
        const scope = this.#scope.filter((word) => word !== "offline_access" && word !== "device_sso").join(" ");
        const answer = await this.#send("POST", address, { form: { client_id: this.#clientId, scope } });
        if (answer.status !== 200) throw this.#failure(answer, "the device authorization endpoint");
        const started = json(answer.text);
        if (!started || !isText(started.device_code) || !isText(started.user_code)
            || !(Number.isFinite(started.expires_in) && started.expires_in > 0)
            || !secureAddress(started.verification_uri)) {
            throw new DrawbridgeError("unexpected_answer", "no code to be shown came", answer);
        }
        const end = this.#now() + 1000 * Math.min(started.expires_in, longestCode);
        await unless(signal, () => ofHost("what shows the code", () => show({
            userCode: started.user_code, verificationUri: started.verification_uri,
            completeUri: secureAddress(started.verification_uri_complete)?.text ?? null, expiresAt: end,
        })));
        // Beside the asking: a code that was used is not asked with again, which would end what it opened.
        const tokens = await this.#poll(started, end, signal);
        try {
            const claims = await this.#verified(tokens.id_token, { accessToken: tokens.access_token });
            await this.#begin(tokens, claims);
            return claims;
        } catch (error) {
            await this.#abandon(tokens);
            throw error;
        }
    }

    async #poll(started, end, signal) {
        let interval = Number.isFinite(started.interval) ? Math.max(1, started.interval) : 5;
        for (;;) {
            // No longer than the code lives, whatever the provider wants: a timer that runs over fires at once.
            const wait = Math.max(0, Math.min(1000 * interval, end - this.#now()));
            await unless(signal, () => this.#sleep(wait, signal));
            try {
                return await this.#token({ grant_type: deviceGrant, device_code: started.device_code });
            } catch (error) {
                if (error.oauth === "authorization_pending") interval += 0;
                else if (error.oauth === "slow_down") interval += 5;
                else if (error.oauth === "expired_token") throw new DrawbridgeError("timed_out");
                // A lost connection is no answer (RFC 8628 §3.5).
                else if (error.code === "unreachable") interval = Math.min(2 * interval, 60);
                else if (error.code === "come_back_later") interval = Math.max(interval, error.seconds ?? 0);
                else throw error;
            }
            if (this.#now() >= end) throw new DrawbridgeError("timed_out");
        }
    }

    // --- Access tokens and their renewal (RFC 6749 §6, RFC 9700 §4.14) ---

    /** An access token that is good for half a minute at least; renewed first when it is not. */
    async accessToken() {
        return (await this.#current()).access_token;
    }

    /** Who is signed in, as the provider knows them (OpenID Connect Core §5.3). */
    async person() {
        this.#needClient();
        const address = (await this.#provider()).userinfo_endpoint;
        if (!address) throw new DrawbridgeError("provider.endpoint", "userinfo_endpoint");
        const person = await this.#withToken(async (signIn) => {
            const answer = await this.#send("GET", address, { token: signIn.access_token, proves: signIn.bound });
            if (answer.status !== 200) throw this.#failure(answer, "userinfo");
            const said = json(answer.text);
            if (!isText(said?.sub)) throw new DrawbridgeError("unexpected_answer", "userinfo cannot be read", answer);
            return said;
        });
        // An answer about somebody else must not be used (OpenID Connect Core §5.3.2).
        if ((await this.#stored())?.subject !== person.sub) throw new DrawbridgeError("id_token.subject");
        return person;
    }

    async #current() {
        this.#needClient();
        const signIn = await this.#stored();
        if (!signIn) throw new DrawbridgeError("not_signed_in");
        return signIn.expires_at > this.#now() + 30000 ? signIn : this.#renewed(signIn);
    }

    /** Calls with the sign-in, and once more with a renewed one when the provider does not take the first token. */
    async #withToken(call) {
        const signIn = await this.#current();
        try {
            return await call(signIn);
        } catch (error) {
            if (error.code !== "refused" || error.oauth !== "invalid_token") throw error;
        }
        return call(await this.#renewed(signIn));
    }

    /** One renewal at a time, in this process and, by the store's lock, on this device. */
    #renewed(stale) {
        this.#renewing ??= this.#locked(this.#renewal, () => this.#renew(stale)).finally(() => {
            this.#renewing = null;
        });
        return this.#renewing;
    }

    async #renew(stale) {
        const signIn = await this.#stored();
        if (!signIn) throw new DrawbridgeError("not_signed_in");
        // Another process was quicker: its token is as good as ours would be.
        const isOthers = signIn.access_token !== stale.access_token;
        if (isOthers && signIn.expires_at > this.#now() + 30000) return signIn;
        if (!signIn.refresh_token) throw new DrawbridgeError("not_signed_in");
        const shared = await this.#shared();
        const isOurs = !shared || parts(shared.id_token)?.claims.sub === signIn.subject;
        // A secret that is shown may be replaced (contract §5.4), and its successor comes with an ID token to verify.
        if (isOurs && shared) await this.#needKeys();
        let tokens;
        try {
            tokens = await this.#token({
                grant_type: "refresh_token", refresh_token: signIn.refresh_token,
                // Without it the provider would make a second device of this one (contract §5.2). Of somebody else's
                // shared sign-in nothing is told, and no secret is asked for that would take its place.
                device_secret: isOurs ? shared?.device_secret : undefined,
                // No wider than what was granted, which may be less than the app asks for (contract §5.2); an earlier
                // version did not keep it.
                scope: isOurs ? undefined
                    : (isText(signIn.scope) ? signIn.scope.split(" ") : this.#scope)
                        .filter((word) => word !== "device_sso").join(" "),
            });
        } catch (error) {
            // Nothing else ends a sign-in (contract §5.2): a bare 401 may be of anything in front of the provider.
            if (error.code !== "refused" || error.oauth !== "invalid_grant") throw error;
            const now = await this.#stored();
            if (now && now.refresh_token !== signIn.refresh_token) return now;
            await this.#remove(this.#item);
            await this.#revokeIfPossible(earlierOf(signIn), signIn.bound);
            throw new DrawbridgeError(
                "not_signed_in", `the provider has ended the sign-in (${error.oauth})`,
                { requestId: error.requestId, page: error.page });
        }
        // Where the store has no lock across processes, another may have signed out or in meanwhile: that stands.
        const now = await this.#stored();
        if (!now) {
            await this.#drop(tokens);
            throw new DrawbridgeError("not_signed_in", "this app was signed out meanwhile");
        }
        if (now.refresh_token !== signIn.refresh_token) return now;
        // Kept before its ID token is looked at: the one before is used up.
        const fresh = await this.#keep(tokens, signIn.subject, signIn);
        if (tokens.id_token !== undefined) await this.#heed(tokens, signIn.subject, isOurs);
        return fresh;
    }

    /** Verifies the ID token of a renewal, and shares a device secret that came with it. */
    async #heed(tokens, subject, isOurs) {
        const check = { subject, accessToken: tokens.access_token, deviceSecret: tokens.device_secret };
        // The one shown is used up (contract §5.4). Its successor came by TLS from the token endpoint (OpenID Connect
        // Core §3.1.3.7 item 6): it is kept before a key is fetched, which this process may not outlive, and stays if
        // only the key is missing, or this device's clock is wrong.
        const isNew = tokens.device_secret && isOurs && (await this.#fits(tokens.id_token, check));
        const before = isNew ? await this.#shared() : null;
        if (isNew) await this.#share(tokens.device_secret, tokens.id_token);
        try {
            await this.#verified(tokens.id_token, check);
        } catch (error) {
            if (isNew && !isInconclusive(error)) await this.#forgetShared(tokens, before);
            throw error;
        }
    }

    // --- Into the app's web view (contract §5.4, §6) ---

    /** The cookies that sign a web view in at an address; only those that its host gets. */
    async cookies(url, webViewClient) {
        this.#needClient();
        const page = secureAddress(url);
        if (!page || (page.isLoopback && !this.#isLoopback)) {
            throw new DrawbridgeError("configuration", "cookies go to https pages alone");
        }
        const endpoint = (await this.#provider()).token_endpoint;
        const origin = secureAddress(endpoint).host;
        const given = await this.#withToken(async (signIn) => {
            const shared = await this.#sharing(() => this.#shared());
            if (!shared || parts(shared.id_token)?.claims.sub !== signIn.subject) {
                throw new DrawbridgeError("not_signed_in", "there is no device secret of this person");
            }
            const answer = await this.#send("POST", endpoint, {
                form: {
                    grant_type: exchangeGrant, client_id: webViewClient, subject_token: signIn.access_token,
                    subject_token_type: accessTokenType, actor_token: shared.device_secret,
                    actor_token_type: deviceSecretType,
                },
                accept: cookieType, proves: signIn.bound,
            });
            if (answer.status !== 200) throw this.#failure(answer, "the token endpoint");
            return answer;
        });
        const list = given.type === cookieType ? json(given.text)?.cookies : null;
        if (!Array.isArray(list) || !list.every(isCookie)) {
            throw new DrawbridgeError(
                "unexpected_answer", `${webViewClient} gets no cookies; its client needs delivery: cookies`, given);
        }
        const fitting = list.filter((cookie) => reaches(cookie, page.host, origin));
        if (fitting.length === 0) {
            throw new DrawbridgeError("configuration", `the provider's cookies do not reach ${page.host}`);
        }
        return fitting.map((cookie) => new WebViewCookie(cookie, url));
    }

    /** Fills the web view's cookies, then loads the page: the first request is signed in already. */
    async openWebView(url, webViewClient) {
        if (!this.#webView) throw new DrawbridgeError("configuration", "openWebView needs a webView among the options");
        const cookies = await this.cookies(url, webViewClient);
        // Remembered first: what was set can be taken out again, by another process too.
        const known = await this.#placed();
        const places = cookies.map(({ name, domain, path }) => ({ name, domain, path, url }));
        const others = known.filter((old) => !places.some((place) => same(old, place)));
        await this.#write(this.#cookieItem, JSON.stringify([...others, ...places]));
        for (const cookie of cookies) await this.#stores(() => this.#webView.setCookie(cookie));
        await ofHost("the web view", () => this.#webView.load(url));
    }

    async #placed() {
        try {
            const list = JSON.parse((await this.#read(this.#cookieItem)) ?? "[]");
            return Array.isArray(list) ? list : [];
        } catch (error) {
            if (error instanceof DrawbridgeError) throw error;
            return [];
        }
    }

    async #clearWebView() {
        let placed;
        try {
            placed = await this.#placed();
        } catch (error) {
            // A list that stayed unreadable would fail every sign-out to come.
            await this.#remove(this.#cookieItem).catch(() => {});
            throw error;
        }
        // Without the web view nothing is taken out of it, and the list waits for a sign-out that has it.
        if (!this.#webView || placed.length === 0) return;
        let stays = null;
        for (const place of placed) {
            await this.#stores(() => this.#webView.removeCookie(place)).catch((error) => {
                stays ??= error;
            });
        }
        if (stays) throw stays;
        await this.#remove(this.#cookieItem);
    }

    // --- The end of a sign-in (contract §7, RFC 7009) ---

    /**
     * Signs out: `device` ends what the maker's apps share as well, `thisApp` this app alone. The secrets and the web
     * view's cookies leave this device in every case, also when the provider cannot be told.
     */
    async signOut(extent = "device") {
        // Another word would end less than the app means.
        if (extent !== "device" && extent !== "thisApp") {
            throw new DrawbridgeError("configuration", "the extent must be \"device\" or \"thisApp\"");
        }
        this.#needClient();
        let hasBegun = false;
        try {
            // Not beside a renewal: that one would put fresh tokens where these have just been taken out.
            await this.#locked(this.#renewal, () => {
                hasBegun = true;
                return this.#endSignIn(extent);
            });
        } catch (error) {
            if (hasBegun) throw error;
            await this.#endSignIn(extent, error);
        }
    }

    /** `unlocked`: why the lock could not be had. What is kept ends without it, and that is told. */
    async #endSignIn(extent, unlocked = null) {
        // What cannot be read cannot be ended at the provider, and leaves the device all the same.
        let problem = null;
        const readable = (read) => read.catch((error) => {
            problem ??= this.#typed(error);
            return undefined;
        });
        const own = await readable(this.#stored());
        const shared = await readable(this.#shared());
        const said = shared && parts(shared.id_token)?.claims;
        const isOurs = !own || said?.sub === own.subject;
        const endsShared = shared === undefined ? extent === "device"
            : shared !== null && isOurs && (extent === "device" || audiences(said).includes(this.#clientId));
        if (own === null && !endsShared) throw new DrawbridgeError("not_signed_in");
        const ending = refreshTokensOf(own).reverse().map((token) => [token, "refresh_token", own.bound]);
        if (shared && endsShared) ending.push([shared.device_secret, "device_secret", own?.bound]);
        let isSilent = false;
        for (const [token, hint, bound] of ending) {
            // Earlier sign-ins would be waited for as long, one after another. The device's end is worth a second try.
            if (isSilent && hint === "refresh_token") continue;
            try {
                await this.#revoke(token, hint, bound);
            } catch (error) {
                const told = this.#typed(error);
                problem ??= told;
                isSilent = told.code === "unreachable";
            }
        }
        // All of it, also when the store refuses a part; what stays on the device is told before anything else.
        const removals = [
            () => this.#remove(this.#item),
            () => endsShared && (shared ? this.#forgetShared(shared) : this.#remove(this.#sharedItem)),
            () => this.#clearWebView(),
        ];
        let stays = unlocked;
        for (const removal of removals) {
            try {
                await removal();
            } catch (error) {
                stays ??= this.#typed(error);
            }
        }
        this.#renewing = null;
        if (stays) throw stays;
        if (problem) throw new DrawbridgeError("signed_out_here_only", problem.message, problem);
    }

    /** Ends a sign-in that could not be kept, of which the app would not know. What was shared before it is so again. */
    async #abandon(tokens, before = null) {
        const secret = tokens.device_secret;
        if (secret) await this.#sharing(() => this.#forgetShared(tokens, before)).catch(() => {});
        await this.#drop(tokens);
        // Where one was shown, the one that came may be of the same device, and would end the other apps there as well.
        if (secret && !before) await this.#revokeIfPossible([secret], isBound(tokens), "device_secret");
    }

    /** Ends what came for nobody. */
    async #drop(tokens) {
        const kind = tokens.refresh_token ? "refresh_token" : "access_token";
        await this.#revokeIfPossible([tokens[kind]], isBound(tokens), kind);
    }

    /** For ends that nobody has asked for: when the provider cannot be told, there is nothing to be done about it. */
    async #revokeIfPossible(tokens, bound, hint = "refresh_token") {
        for (const token of tokens) await this.#revoke(token, hint, bound).catch(() => {});
    }

    async #revoke(token, hint, bound) {
        const address = (await this.#provider()).revocation_endpoint;
        if (!address) throw new DrawbridgeError("provider.endpoint", "revocation_endpoint");
        const answer = await this.#send("POST", address, {
            form: { token, token_type_hint: hint, client_id: this.#clientId }, proves: bound,
        });
        if (answer.status !== 200) throw this.#failure(answer, "revocation");
    }

    // --- What is kept ---

    get #item() {
        return `drawbridge:${this.#clientId}:${this.#issuer}`;
    }

    get #cookieItem() {
        return `${this.#item}:cookies`;
    }

    get #sharedItem() {
        return `drawbridge-shared:${this.#group}`;
    }

    get #keyItem() {
        return this.#group === null ? `${this.#item}:key` : `${this.#sharedItem}:key`;
    }

    /** The lock of renewals: they may replace the device secret, which is that of all apps of the group (contract §5.4). */
    get #renewal() {
        return `renew ${this.#group === null ? this.#item : this.#sharedItem}`;
    }

    /** Work with what the apps of one maker share, beside no renewal of theirs; it takes no such lock itself. */
    #sharing(work) {
        return this.#group === null ? work() : this.#locked(this.#renewal, work);
    }

    /** Throws `secret_store` when the store's lock does not work, and lets everything else through. */
    async #locked(name, work) {
        let done;
        await this.#stores(() => this.#lock(name, async () => {
            done = await work().then((value) => ({ value }), (error) => ({ error }));
        }));
        if ("error" in done) throw done.error;
        return done.value;
    }

    async #read(name) {
        return this.#stores(() => this.#store.get(name));
    }

    async #write(name, value) {
        await this.#stores(() => this.#store.set(name, value));
    }

    async #remove(name) {
        await this.#stores(() => this.#store.remove(name));
    }

    async #stores(work) {
        try {
            return await work();
        } catch (error) {
            throw error instanceof DrawbridgeError ? error : new DrawbridgeError("secret_store", error?.name);
        }
    }

    async #stored() {
        const kept = json((await this.#read(this.#item)) ?? "");
        return isText(kept?.access_token) && isText(kept.subject) && Number.isFinite(kept.expires_at) ? kept : null;
    }

    /**
     * Keeps a new sign-in, not beside a renewal or a sign-out of the one before. That one goes on until the sign-out, since
     * pages on the web may have come of it: people sign in once more to prove who they are. Another person's ends now.
     */
    async #begin(tokens, claims) {
        let own = null;
        let over = [];
        await this.#locked(this.#renewal, async () => {
            // What cannot be read is replaced.
            own = await this.#stored().catch(() => null);
            const before = refreshTokensOf(own).filter((token) => token !== tokens.refresh_token);
            const kept = own?.subject === claims.sub ? before.slice(-mostEarlier) : [];
            over = before.slice(0, before.length - kept.length);
            await this.#keep(tokens, claims.sub, { claims, earlier: kept });
        });
        await this.#revokeIfPossible(over, own?.bound);
    }

    async #keep(tokens, subject, before) {
        const signIn = {
            access_token: tokens.access_token, refresh_token: tokens.refresh_token ?? before?.refresh_token ?? null,
            // Without a word about its life it is good for this use alone (RFC 6749 §5.1 leaves it open).
            expires_at: this.#now() + 1000 * (tokens.expires_in ?? 0), subject,
            bound: isBound(tokens),
            // What was granted; an answer that says nothing of it leaves it as it was (RFC 6749 §5.1).
            scope: isText(tokens.scope) ? tokens.scope : before?.scope ?? null,
            // Those of a renewal are about the same sign-in (OpenID Connect Core §12.2).
            claims: before?.claims ?? null,
            // Refresh tokens of the person's sign-ins before this one, the oldest first: they end with it.
            earlier: earlierOf(before),
        };
        await this.#write(this.#item, JSON.stringify(signIn));
        return signIn;
    }

    /** What the apps of one maker share on one device: in one item, so that its two parts always belong together. */
    async #shared() {
        if (this.#group === null) return null;
        const kept = json((await this.#read(this.#sharedItem)) ?? "");
        return isText(kept?.device_secret) && isText(kept.id_token) && parts(kept.id_token) ? kept : null;
    }

    async #share(deviceSecret, idToken) {
        if (this.#group === null) return;
        await this.#write(this.#sharedItem, JSON.stringify({ device_secret: deviceSecret, id_token: idToken }));
    }

    /** Forgets a shared sign-in, or goes back to the one before it, unless another app has put in a fresh one. */
    async #forgetShared(dead, before = null) {
        if ((await this.#shared())?.device_secret !== dead.device_secret) return;
        if (before) await this.#share(before.device_secret, before.id_token);
        else await this.#remove(this.#sharedItem);
    }

    #needClient() {
        if (this.#clientId === undefined) throw new DrawbridgeError("configuration", "this needs the app's clientId");
    }

    // --- The provider (OpenID Connect Discovery, RFC 8414) ---

    async #provider() {
        if (this.#metadata) return this.#metadata;
        const answer = await this.#send("GET", `${this.#issuer}/.well-known/openid-configuration`);
        if (answer.status !== 200) throw this.#failure(answer, "discovery");
        const said = json(answer.text);
        if (!said || !isText(said.issuer)) throw new DrawbridgeError("provider.malformed", "description", answer);
        // Byte for byte: a document of another issuer would carry the whole sign-in elsewhere (RFC 8414 §6.2).
        if (said.issuer !== this.#issuer) throw new DrawbridgeError("provider.other_issuer");
        if (!Array.isArray(said.code_challenge_methods_supported)
            || !said.code_challenge_methods_supported.includes("S256")) {
            throw new DrawbridgeError("provider.no_pkce");
        }
        const needed = ["authorization_endpoint", "token_endpoint", "jwks_uri"];
        const possible = ["userinfo_endpoint", "revocation_endpoint", "device_authorization_endpoint"];
        for (const name of [...needed, ...possible]) {
            if (said[name] === undefined && possible.includes(name)) continue;
            const address = secureAddress(said[name]);
            if (!address || (address.isLoopback && !this.#isLoopback)) throw new DrawbridgeError("provider.endpoint", name);
        }
        this.#metadata = said;
        return said;
    }

    /** The key of this id. An unknown id makes us look again, once: the provider may have changed its keys. */
    async #key(id) {
        const find = () => this.#keys?.find((key) => key?.kid === id);
        if (find()) return find();
        await this.#readKeys();
        return find();
    }

    /**
     * Before a code, a secret or a person's sign-in is used up for an ID token: that there are no keys to verify it with
     * is found out while nothing is lost.
     */
    async #needKeys() {
        if (!this.#keys) await this.#readKeys();
    }

    async #readKeys() {
        const answer = await this.#send("GET", (await this.#provider()).jwks_uri);
        if (answer.status !== 200) throw this.#failure(answer, "the key set");
        const set = json(answer.text);
        if (!Array.isArray(set?.keys)) throw new DrawbridgeError("provider.malformed", "key set", answer);
        this.#keys = set.keys;
    }

    async #token(members) {
        const { token_endpoint: address } = await this.#provider();
        const isRenewal = members.grant_type === "refresh_token";
        const answer = await this.#send("POST", address, {
            form: { ...members, client_id: members.client_id ?? this.#clientId }, proves: Boolean(this.#dpop),
            longest: isRenewal ? longestRenewal : undefined,
        });
        if (isRenewal && isLost(answer)) {
            throw new DrawbridgeError("unreachable", `a proxy answered ${answer.status} in its place`);
        }
        if (answer.status !== 200) throw this.#failure(answer, "the token endpoint");
        const tokens = json(answer.text);
        const optional = (name) => tokens[name] === undefined || isText(tokens[name]);
        // A token of a type that we do not know must not be used (RFC 6749 §7.1).
        const types = this.#dpop ? ["bearer", "dpop"] : ["bearer"];
        if (!tokens || !isVisible(tokens.access_token) || !types.includes(String(tokens.token_type).toLowerCase())
            || !["refresh_token", "id_token", "device_secret"].every(optional)
            || (tokens.expires_in !== undefined && !(Number.isFinite(tokens.expires_in) && tokens.expires_in > 0))) {
            throw new DrawbridgeError("unexpected_answer", "the token endpoint's answer cannot be read", answer);
        }
        return tokens;
    }

    // --- ID tokens (OpenID Connect Core §3.1.3.7, Native SSO §3.4) ---

    async #verified(token, check) {
        if (token === undefined) throw new DrawbridgeError("id_token.missing");
        const flaw = (name) => new DrawbridgeError(`id_token.${name}`);
        const taken = parts(token);
        if (!taken) throw flaw("malformed");
        const { header, claims } = taken;
        // Settled here, not by the token: `none` and HS256 with a public key are the classic ways around a signature.
        if (header.alg !== "ES256" || header.crit !== undefined) throw flaw("algorithm");
        const key = isText(header.kid) ? await this.#key(header.kid) : undefined;
        const publicKey = key && (await this.#publicKey(key));
        if (!publicKey) throw flaw("unknown_key");
        const ecdsa = { name: "ECDSA", hash: "SHA-256" };
        if (!(await this.#subtle.verify(ecdsa, publicKey, taken.signature, taken.signed))) throw flaw("signature");
        await this.#expect(claims, check);
        return claims;
    }

    /** Whether everything is right but the signature, and the times, which this device's clock may be wrong about. */
    async #fits(token, check) {
        const taken = parts(token);
        if (!taken || !isText(taken.header.kid)) return false;
        return this.#expect(taken.claims, { ...check, anyTime: true }).then(() => true, () => false);
    }

    async #expect(claims, check) {
        const flaw = (name) => new DrawbridgeError(`id_token.${name}`);
        const now = this.#now() / 1000;
        const names = audiences(claims);
        if (claims.iss !== this.#issuer) throw flaw("issuer");
        if (!names.includes(this.#clientId) || (names.length > 1 && claims.azp !== this.#clientId)
            || (claims.azp !== undefined && claims.azp !== this.#clientId)) {
            throw flaw("audience");
        }
        if (!check.anyTime && claims.exp <= now - leeway) throw flaw("expired");
        if (!check.anyTime && claims.iat > now + leeway) throw flaw("issued_in_future");
        if (check.nonce !== undefined && !equal(String(claims.nonce ?? ""), check.nonce)) throw flaw("nonce");
        // The provider's word that it has done what max_age asked for.
        if (check.maxAge !== undefined && !(Number.isFinite(claims.auth_time) && claims.auth_time >= now - check.maxAge - leeway)) {
            throw flaw("auth_time");
        }
        if (check.subject !== undefined && claims.sub !== check.subject) throw flaw("subject");
        if (claims.at_hash !== undefined && !equal(String(claims.at_hash), await this.#halfHash(check.accessToken))) {
            throw flaw("access_token_hash");
        }
        // Without `ds_hash` the secret is tied to nothing, and somebody may have put in their own.
        if (check.deviceSecret !== undefined
            && !equal(String(claims.ds_hash ?? ""), await this.#halfHash(check.deviceSecret))) {
            throw flaw("device_secret_hash");
        }
    }

    async #publicKey({ kty, crv, use, alg, x, y }) {
        if (kty !== "EC" || crv !== "P-256" || (use ?? "sig") !== "sig" || (alg ?? "ES256") !== "ES256") return null;
        try {
            const ec = { name: "ECDSA", namedCurve: "P-256" };
            return await this.#subtle.importKey("jwk", { kty, crv, x, y }, ec, false, ["verify"]);
        } catch {
            return null;
        }
    }

    // --- Cryptography ---

    get #subtle() {
        if (!this.#crypto?.subtle) {
            throw new DrawbridgeError("configuration", "there is no Web Cryptography here; pass crypto (node.mjs has it)");
        }
        return this.#crypto.subtle;
    }

    #random(count) {
        return base64url(this.#subtle && this.#crypto.getRandomValues(new Uint8Array(count)));
    }

    async #sha256(text) {
        return base64url(await this.#subtle.digest("SHA-256", utf8(text)));
    }

    /** `at_hash` and `ds_hash`: the left half of the SHA-256. */
    async #halfHash(text) {
        return base64url((await this.#subtle.digest("SHA-256", utf8(text))).slice(0, 16));
    }

    // --- Proof of possession (RFC 9449) ---

    /** The key that tokens are bound to: the app's own, or one that is made once and kept in the store. */
    async #proofKey() {
        if (typeof this.#dpop === "object") return this.#dpop;
        return this.#locked(`key ${this.#keyItem}`, async () => {
            if (typeof this.#dpop === "object") return this.#dpop;
            const ec = { name: "ECDSA", namedCurve: "P-256" };
            let jwk = json((await this.#read(this.#keyItem)) ?? "");
            const read = async () => this.#subtle.importKey("jwk", jwk, ec, false, ["sign"]);
            // No token can be proved by a damaged one: a new key takes its place.
            let key = jwk && (await read().catch(() => null));
            if (!key) {
                const pair = await this.#subtle.generateKey(ec, true, ["sign"]);
                jwk = await this.#subtle.exportKey("jwk", pair.privateKey);
                await this.#write(this.#keyItem, JSON.stringify(jwk));
                key = await read();
            }
            const ecdsa = { name: "ECDSA", hash: "SHA-256" };
            this.#dpop = {
                publicKey: { kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y },
                sign: (bytes) => this.#subtle.sign(ecdsa, key, bytes),
            };
            return this.#dpop;
        });
    }

    /** The public half, its members in the order of RFC 7638. */
    async #proofJWK() {
        const key = await this.#proofKey();
        return ofHost("the proof key", () => {
            const { crv, kty, x, y } = key.publicKey;
            return { crv, kty, x, y };
        });
    }

    async #thumbprint() {
        return this.#sha256(JSON.stringify(await this.#proofJWK()));
    }

    async #proof(method, address, token) {
        const key = await this.#proofKey();
        const target = address.split("?")[0];
        const claims = {
            jti: this.#random(16), htm: method, htu: target, iat: Math.floor(this.#now() / 1000),
            nonce: this.#nonces.get(originOf(address)), ath: token && (await this.#sha256(token)),
        };
        const header = { typ: "dpop+jwt", alg: "ES256", jwk: await this.#proofJWK() };
        const text = [header, claims].map((part) => base64url(utf8(JSON.stringify(part)))).join(".");
        const signature = await ofHost("the proof key", async () => base64url(await key.sign(utf8(text))));
        return `${text}.${signature}`;
    }

    // --- HTTP: no redirects, no cookies, no cache, bounded in time and size ---

    async #send(method, address, request = {}) {
        const proves = Boolean(this.#dpop && request.proves);
        const first = await this.#sendOnce(method, address, request, proves);
        // A nonce that we did not have, or that is stale: once more with the one that came along (RFC 9449 §8).
        return proves && first.wantsNonce ? this.#sendOnce(method, address, request, proves) : first;
    }

    async #sendOnce(method, address, { body, type, form: members, accept, token, longest }, proves) {
        const headers = { accept: accept ?? "application/json" };
        if (token !== undefined) headers.authorization = `${proves ? "DPoP" : "Bearer"} ${token}`;
        if (proves) headers.dpop = await this.#proof(method, address, token);
        const content = members ? form(members) : body;
        if (content !== undefined) headers["content-type"] = members ? "application/x-www-form-urlencoded" : type;
        const stop = new AbortController();
        let timer;
        // Beside the signal: not every fetch ends a body that is being read when it is told to stop.
        const late = new Promise((_, fail) => {
            timer = setTimeout(() => {
                fail(new DrawbridgeError("unreachable", "it takes too long"));
                stop.abort();
            }, Math.min(this.#timeout, longest ?? this.#timeout));
        });
        const place = `${method} ${address.split("?")[0]}`;
        try {
            const answer = this.#fetch(address, {
                method, headers, body: content, redirect: "manual", credentials: "omit", cache: "no-store",
                referrerPolicy: "no-referrer", signal: stop.signal,
            }).then(async (response) => ({ response, text: await bounded(response, stop) }));
            answer.catch(() => {});
            const { response, text } = await Promise.race([answer, late]);
            this.#log(`${place}: ${response.status}`);
            return this.#answer(address, response, text);
        } catch (error) {
            const typed = error instanceof DrawbridgeError ? error
                : new DrawbridgeError("unreachable", obstacle(error));
            this.#log(`${place}: ${typed.code}`);
            throw typed;
        } finally {
            clearTimeout(timer);
        }
    }

    /** Nobody waits for the logger, and one that fails changes nothing. */
    async #log(line) {
        try {
            await this.#logger?.("debug", line);
        } catch {
            // Where would it be told?
        }
    }

    #answer(address, response, text) {
        const header = (name) => response.headers.get(name);
        const requestId = requestIdOf(response);
        if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
            throw new DrawbridgeError("unexpected_answer", "a redirect, which is never followed", { requestId });
        }
        const nonce = header("dpop-nonce");
        if (nonce && /^[!-~]{1,1024}$/.test(nonce)) this.#nonces.set(originOf(address), nonce);
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
            wantsNonce: Boolean(nonce) && response.status >= 400 && error === "use_dpop_nonce",
        };
    }

    #failure(answer, what) {
        const { status } = answer;
        const body = json(answer.text);
        const more = {
            // Every answer has it in its header, a refusal's body besides (contract §11).
            requestId: isRequestId(body?.request_id) ? body.request_id : answer.requestId, page: this.#page(body?.error_uri),
        };
        if ([429, 502, 503, 504].includes(status)) {
            return new DrawbridgeError("come_back_later", undefined, { ...more, seconds: this.#wait(answer.retryAfter) });
        }
        if (status >= 400 && status < 500) {
            const said = isText(body?.error) ? body
                : answer.challenge || status === 401 ? { error: answer.challenge ?? "invalid_token" } : null;
            if (said) return refused(said, { ...more, ...answer.wanted });
        }
        return new DrawbridgeError("unexpected_answer", `${what} answered ${status}`, more);
    }

    /** A page of the provider itself, for people to open; null for any other address. */
    #page(text) {
        const page = secureAddress(text);
        const isOurs = page && page.host === secureAddress(this.#issuer).host && (this.#isLoopback || !page.isLoopback);
        return isOurs ? page.text : null;
    }

    /** Seconds of `Retry-After`, which is a number or a date (RFC 9110 §10.2.3). */
    #wait(text) {
        if (text === null || text === undefined) return null;
        if (/^[0-9]{1,9}$/.test(text.trim())) return Number(text);
        // Date.parse takes much more for a date than the grammar does.
        const date = /^[A-Z][a-z]{2,8}, /.test(text) ? Date.parse(text) : NaN;
        return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - this.#now()) / 1000));
    }

    #typed(error) {
        return error instanceof DrawbridgeError ? error : new DrawbridgeError("unexpected_answer", error?.name);
    }
}

// --- Parts of the above that need nothing of the client ---

/** Work of a part that the app has brought; what it throws is named, and its text, which may hold secrets, is not. */
const ofHost = async (what, work) => {
    try {
        return await work();
    } catch (error) {
        throw error instanceof DrawbridgeError ? error
            : new DrawbridgeError("configuration", `${what} failed: ${error?.name ?? "error"}`);
    }
};

/** Waits; an abandoned wait leaves no timer, which would keep the app's process alive. */
const pause = (milliseconds, signal) => new Promise((done) => {
    const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        done();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end, { once: true });
});

/** The work, or `cancelled` as soon as the signal says so: nobody waits for it then. */
const unless = async (signal, work) => {
    if (signal?.aborted) throw new DrawbridgeError("cancelled");
    if (!signal) return work();
    let stop;
    const aborted = new Promise((_, fail) => {
        stop = () => fail(new DrawbridgeError("cancelled"));
        signal.addEventListener("abort", stop, { once: true });
    });
    try {
        return await Promise.race([work(), aborted]);
    } finally {
        signal.removeEventListener("abort", stop);
    }
};

/** Every answer of the provider has one (contract §11). */
const requestIdOf = (response) => {
    const id = response.headers.get("x-request-id");
    return isRequestId(id) ? id : null;
};

/**
 * Whether a proxy answered a renewal that may have happened: whoever waits then comes too late to repeat it
 * (contract §5.2). Only the provider's own 503 promises that nothing was used up (contract §11).
 */
const isLost = ({ status, text }) =>
    [502, 504].includes(status) || (status === 503 && json(text)?.error !== "temporarily_unavailable");

const originOf = (address) => address.split("/").slice(0, 3).join("/");

/** An ID token taken apart, not believed yet; null when it is not one. */
const parts = (token) => {
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
const isInconclusive = ({ code }) => isText(code) && (!code.startsWith("id_token.")
    || ["id_token.unknown_key", "id_token.expired", "id_token.issued_in_future"].includes(code));

/** The refresh tokens of sign-ins before a kept one, the oldest first. */
const earlierOf = (signIn) => (Array.isArray(signIn?.earlier) ? signIn.earlier.filter(isText) : []);

/** The same and its own. */
const refreshTokensOf = (signIn) => [...earlierOf(signIn), signIn?.refresh_token].filter(isText);

const isBound = (tokens) => tokens.token_type.toLowerCase() === "dpop";

const audiences = (claims) => {
    const list = Array.isArray(claims?.aud) ? claims.aud : [claims?.aud];
    return list.every(isText) ? list : [];
};

const isCookie = (cookie) =>
    isText(cookie?.name) && typeof cookie.value === "string" && isText(cookie.path) && isText(cookie.same_site)
    && typeof cookie.http_only === "boolean" && !Number.isNaN(Date.parse(cookie.expires))
    && (cookie.domain === undefined || cookie.domain === null || isText(cookie.domain));

/** Whether a browser would send the cookie to this host (RFC 6265 §5.1.3). */
const reaches = (cookie, host, origin) => {
    if (!cookie.domain) return host === (cookie.host ?? origin);
    const name = cookie.domain.replace(/^\./, "").toLowerCase();
    // The provider may set cookies for its own domain, and for no other; an address has no domain above it.
    const isAddress = (text) => /^[0-9.]+$|^\[/.test(text);
    return [host, origin].every((one) => one === name || (one.endsWith(`.${name}`) && !isAddress(one)));
};

const same = (left, right) =>
    left.name === right.name && left.domain === right.domain && left.path === right.path
    && originOf(left.url) === originOf(right.url);

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

/** The body as text; an answer that is longer than any of ours is given up, not read. */
const bounded = async (response, stop) => {
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
