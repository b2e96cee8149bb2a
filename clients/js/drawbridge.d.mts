// Types of drawbridge.mjs.

/** What went wrong; the names are those of clients/vectors/README.md. */
export type ErrorCode =
    | "configuration" | "unreachable" | "come_back_later" | "refused" | "unexpected_answer"
    | "provider.other_issuer" | "provider.endpoint" | "provider.no_pkce" | "provider.malformed"
    | "answer.other_address" | "answer.malformed" | "answer.foreign_state" | "answer.other_issuer" | "answer.no_code"
    | "id_token.missing" | "id_token.malformed" | "id_token.algorithm" | "id_token.unknown_key"
    | "id_token.signature" | "id_token.issuer" | "id_token.audience" | "id_token.expired"
    | "id_token.issued_in_future" | "id_token.nonce" | "id_token.auth_time" | "id_token.subject" | "id_token.access_token_hash"
    | "id_token.device_secret_hash"
    | "not_signed_in" | "secret_store" | "signed_out_here_only" | "cancelled" | "timed_out";

/** Every error of this library. The message says what is wrong and what to do; no secret is in it. */
export declare class DrawbridgeError extends Error {
    constructor(
        code: ErrorCode, detail?: string,
        more?: {
            oauth?: string | null; seconds?: number | null; requestId?: string | null; page?: string | null;
            acrValues?: readonly string[] | null; maxAge?: number | null;
        });
    readonly code: ErrorCode;
    /** Of `refused`: the provider's error code, such as `invalid_grant`. */
    readonly oauth: string | null;
    /** Of `come_back_later`: how long to wait, when the provider says so. */
    readonly seconds: number | null;
    /** To find the request in the provider's log; null when no answer came that has one. */
    readonly requestId: string | null;
    /** A page of the provider that explains the error. */
    readonly page: string | null;
    /** Of `refused`: what a sign-in has to be like, for `signIn`; null where the provider does not say. */
    readonly acrValues: readonly string[] | null;
    readonly maxAge: number | null;
    /** The grant, secret or session that was relied on is gone: sign in again. */
    get endsSignIn(): boolean;
}

/** Where an app keeps its secrets. "There is none" is null, not an error. */
export interface SecretStore {
    get(name: string): Promise<string | null>;
    set(name: string, value: string): Promise<void>;
    remove(name: string): Promise<void>;
    /**
     * Runs work alone on this device among all work of this name, that of other apps of a sharing group too. Without it:
     * `navigator.locks` where there are, else one process alone.
     */
    lock?<Value>(name: string, work: () => Promise<Value>): Promise<Value>;
}

/** The way through the system's browser and back. */
export interface SignInBrowser {
    /** Gets ready to receive the answer, and says where it will; without it the option `redirectUri` counts. */
    prepare?(request?: { signal?: AbortSignal }): Promise<string>;
    /** Opens the address and waits for the whole address that comes back; nobody does any longer once the signal is aborted. */
    open(address: string, request: { redirectUri: string; signal?: AbortSignal }): Promise<string>;
}

/** The platform's web view and its cookies. */
export interface WebView {
    setCookie(cookie: WebViewCookie): Promise<void> | void;
    load(url: string): Promise<void> | void;
    removeCookie(place: CookiePlace): Promise<void> | void;
}

/** Enough of a cookie to take it out again. */
export interface CookiePlace {
    readonly name: string;
    readonly domain: string | null;
    readonly path: string;
    readonly url: string;
}

/** A key of the platform's own that tokens are bound to (ES256); `sign` gives the 64 bytes of r and s. */
export interface ProofKey {
    readonly publicKey: { kty: "EC"; crv: "P-256"; x: string; y: string };
    sign(bytes: Uint8Array): Promise<ArrayBuffer | Uint8Array>;
}

export interface DrawbridgeOptions {
    /** `https://…` without a slash at its end; `http://` on this machine alone. */
    issuer: string;
    /** The app's registered client_id; `openURL` with a bearer does without. */
    clientId?: string;
    redirectUri?: string;
    /** What the app asks for beside `openid`. Default: `profile`, `offline_access`. */
    scope?: readonly string[];
    /** Name of the group of the maker's apps that share a sign-in on this device. */
    sharing?: string;
    /** Default: memory, for as long as the process lives. */
    store?: SecretStore;
    browser?: SignInBrowser;
    webView?: WebView;
    fetch?: (address: string, init: RequestInit) => Promise<Response>;
    crypto?: Crypto;
    /** Binds tokens to a key (RFC 9449): `true` for one that is kept in the store. */
    dpop?: boolean | ProofKey;
    /** Milliseconds for a whole answer. Default: 30 s. A renewal has 6 s at most: asked again after 10 s, it is a theft. */
    timeout?: number;
    /** Milliseconds since 1970. */
    now?: () => number;
    sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
    /** Lines without secrets: method, address without query, status. */
    logger?: (level: "debug", line: string) => void;
}

export interface OpenOptions {
    /** Any backend's token that the provider trusts, or what gives one; without it the app's own sign-in is used. */
    bearer?: string | (() => string | Promise<string>);
    /** The website's client_id; default: the provider's default website. */
    website?: string;
    /** `header`: the token is not in the address but in `headers`. */
    carrier?: "query" | "header";
}

export interface SignInOptions {
    loginHint?: string;
    prompt?: "login" | "consent" | "select_account";
    acrValues?: readonly string[] | null;
    maxAge?: number | null;
    languages?: readonly string[] | null;
    /** Ends the waiting for the person: `cancelled`. What has come back by then is redeemed all the same. */
    signal?: AbortSignal;
}

/** What an ID token says. */
export interface IDTokenClaims {
    readonly iss: string;
    readonly sub: string;
    readonly aud: string | readonly string[];
    readonly exp: number;
    readonly iat: number;
    readonly [name: string]: unknown;
}

/** What the provider tells about the person. */
export interface Person {
    readonly sub: string;
    readonly name?: string;
    readonly preferred_username?: string;
    readonly email?: string;
    readonly [name: string]: unknown;
}

export type SilentSignIn =
    | { readonly signedIn: true; readonly claims: IDTokenClaims }
    | {
        readonly signedIn: false;
        readonly reason: "nothing_shared" | "parts_do_not_fit" | "refused" | "not_believed" | "failed";
        readonly error: DrawbridgeError | null;
    };

/** What a person needs who finishes the sign-in on another device. */
export interface DeviceCode {
    readonly userCode: string;
    readonly verificationUri: string;
    readonly completeUri: string | null;
    readonly expiresAt: number;
}

/** An address that signs a browser in, once, for at most a minute. It prints as `<login link>`. */
export declare class LoginLink {
    private constructor();
    /** What to open, at once. Never log, copy or share it. */
    get url(): string;
    /** To be sent with the first request. */
    get headers(): Record<string, string>;
    /** Six digits to show to the person, who types them into the page; null where the website asks for none. */
    get code(): string | null;
    /** Milliseconds since 1970, by this device's clock. */
    readonly expiresAt: number;
    toString(): string;
    toJSON(): string;
}

/** One cookie for a web view; prints without its value. */
export declare class WebViewCookie implements CookiePlace {
    private constructor();
    readonly name: string;
    get value(): string;
    readonly domain: string | null;
    readonly path: string;
    readonly expiresAt: number;
    readonly httpOnly: boolean;
    readonly sameSite: string;
    readonly secure: true;
    readonly url: string;
}

/** Keeps secrets as long as the process lives. */
export declare function memoryStore(): Required<SecretStore>;

/** An app's way to its provider. All methods reject with `DrawbridgeError`. */
export declare class Drawbridge {
    constructor(options: DrawbridgeOptions);
    openURL(path?: string | null, options?: OpenOptions): Promise<LoginLink>;
    signIn(options?: SignInOptions): Promise<IDTokenClaims>;
    /**
     * By this app's own sign-in, with the claims that it had, else by what another app of the group has left. One that
     * cannot be renewed just now, without a network, is none the less there.
     */
    signInSilently(): Promise<SilentSignIn>;
    signInByDevice(
        show: (code: DeviceCode) => void | Promise<void>, options?: { signal?: AbortSignal }): Promise<IDTokenClaims>;
    accessToken(): Promise<string>;
    person(): Promise<Person>;
    cookies(url: string, webViewClient: string): Promise<WebViewCookie[]>;
    openWebView(url: string, webViewClient: string): Promise<void>;
    signOut(extent?: "device" | "thisApp"): Promise<void>;
}
