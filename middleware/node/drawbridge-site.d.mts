// Types of drawbridge-site.mjs. They need neither Node's types nor Express's, and fit both.

export declare const SESSION_COOKIE: string;
/** Signing out is Drawbridge's own page: a form of the same origin ends the session and takes its cookies away. */
export declare const SIGN_OUT_FORM: string;

/** Settings that cannot work, or that would believe anybody. */
export declare class ConfigurationError extends Error {}

/** Nobody can say now who this is: 503, never "signed out" and never "signed in". */
export declare class Unavailable extends Error {}

/** Why there is no user, or why a notice is refused; docs/middleware.md says what each means. */
export type Reason =
    | "missing" | "not_from_proxy" | "host" | "underscore" | "repeated" | "malformed" | "type" | "algorithm" | "unknown_key"
    | "signature" | "issuer" | "audience" | "client" | "claims" | "bound" | "expired" | "not_yet_valid" | "ended"
    | "stale" | "too_large";

/** What must not be believed. */
export declare class Refused extends Error {
    constructor(reason: Reason, isFinal?: boolean);
    readonly reason: Reason;
    /** One that is not final may be believed later. */
    readonly isFinal: boolean;
}

/** What several processes share; `now` and `until` are Unix seconds. `add` is atomic: of two at once one is "new". */
export interface Store {
    add(text: string, until: number, now: number): Added | Promise<Added>;
    has(text: string, now: number): boolean | Promise<boolean>;
    forget(text: string): void | Promise<void>;
}

export type Added = "new" | "known" | "full";

/** Of one process. When it has no room left, the oldest make room. */
export declare class Memory implements Store {
    constructor(limit?: number);
    readonly limit: number;
    /** The latest time of those that made room before it was over; 0 while none has. */
    get forgotten(): number;
    add(text: string, until: number, now: number): Added;
    has(text: string, now: number): boolean;
    forget(text: string): void;
}

export type Source = "proxy" | "cookie" | "session";

/** What a website says of itself: the table of docs/middleware.md. Times are in seconds. */
export interface Settings {
    source: Source;
    /** The website as browsers see it. */
    origin: string;
    drawbridge?: string | null;
    issuer?: string | null;
    client_id?: string | null;
    clients?: readonly string[];
    cookie?: string;
    audience?: string | null;
    proxy_secret?: string | null;
    proxy_addresses?: readonly string[];
    /** What the proxy may have in Host beside the origin's: further names of this website, or the one by which it asks. */
    hosts?: readonly string[];
    webhook_secrets?: readonly string[];
    logout_algorithms?: readonly ("ES256" | "RS256")[];
    sign_in?: string;
    identity?: readonly ("name" | "email" | "groups")[];
    leeway?: number;
    keys_fresh?: number;
    /** How soon keys may be asked for again while there are some; without any, two seconds after a failure. */
    keys_pause?: number;
    keys_stale?: number;
}

/** Who is signed in. What nobody says is null. */
export interface User {
    subject: string;
    session: string | null;
    acr: string | null;
    amr: string[];
    /** Unix seconds of the sign-in; the source `proxy` does not know it. */
    auth_time: number | null;
    /** This and the next two where the setting `identity` names them, as far as Drawbridge says them to this website. */
    name: string | null;
    email: string | null;
    groups: string[];
}

export type Headers = [name: string, value: string][];

/** What the website answers instead of its page. */
export interface Answer {
    status: number;
    headers: Headers;
    body: string;
}

/** What a page asks for beyond a sign-in. */
export interface Demand {
    /** The values that will do. */
    acr?: readonly string[];
    /** Seconds since the sign-in. */
    max_age?: number | null;
}

/** As much of `http.IncomingMessage`, and of Express's request, as is looked at. */
export interface Incoming {
    method?: string | undefined;
    url?: string | undefined;
    originalUrl?: string | undefined;
    rawHeaders: string[];
    socket?: { remoteAddress?: string | undefined } | undefined;
}

/** An `Incoming` whose body is read; `body` and `rawBody` are what parsers may have left of it. */
export interface IncomingNotice extends Incoming {
    headers: { [name: string]: string | string[] | undefined };
    readableEnded?: boolean;
    rawBody?: unknown;
    body?: any;
    on(event: string, listener: (...values: any[]) => void): unknown;
    pause(): unknown;
}

/** As much of `http.ServerResponse`, and of Express's response, as is used. */
export interface Outgoing {
    statusCode: number;
    getHeader(name: string): number | string | string[] | undefined;
    setHeader(name: string, value: string | string[]): unknown;
    end(body?: string): unknown;
}

/** As much of an upgrade's socket as is used. */
export interface UpgradeSocket {
    on(event: string, listener: (...values: any[]) => void): unknown;
    end(text: string, sent: () => void): unknown;
    destroy(): unknown;
}

/** A request behind `guarded` or `upgraded`. */
export interface Guarded {
    drawbridgeUser: User;
}

/** What is asked of a request. `headers` are pairs, as they came; `target` is path and query, not decoded. */
export declare class Request {
    constructor(method: string, target: string, headers: Headers, peer?: string);
    static of(incoming: Incoming): Request;
    readonly method: string;
    readonly target: string;
    readonly headers: Headers;
    readonly peer: string;
    values(name: string): string[];
    cookies(name: string): string[];
    /** Whether somebody looks: a script has no use for a sign-in page. */
    get isPage(): boolean;
    /** Whether somebody sends a form, and looks at what comes back. */
    get isForm(): boolean;
}

/** An event of docs/webhooks.md, or the claims of a logout token. */
export type Notice = { [name: string]: unknown };

export interface Options {
    /** Unix seconds. */
    now?: () => number;
    /** Asks Drawbridge; rejects with `Unavailable` when there is no whole answer. */
    fetch?: (path: string, headers: { [name: string]: string }) =>
        Promise<{ status: number; headers: Headers; body: Uint8Array }>;
    /** Sessions that ended, and notices that were handled: stores that several processes share. */
    ended?: Store;
    notices?: Store;
}

/** One website. Keep one for the process. */
export declare class Site {
    constructor(settings: Settings, options?: Options);
    readonly settings: Readonly<Settings>;
    /** `missing` is a visitor, any other reason deserves a line in the log. Rejects with `Unavailable`. */
    identify(request: Request): Promise<{ user: User; reason?: never } | { user: null; reason: Reason }>;
    /** The user of an access token of this website. Rejects with `Refused` and `Unavailable`. */
    userOf(accessToken: string): Promise<User>;
    /** The user who may see the page, or the answer for whoever may not. */
    guard(request: Request, demand?: Demand): Promise<{ user: User; answer?: never } | { user?: never; answer: Answer }>;
    /** A signed notice, docs/webhooks.md: each is handled once. Rejects with `ConfigurationError` without `webhook_secrets`. */
    webhook(body: Uint8Array, signature: string | null | undefined, handle?: (event: Notice) => unknown): Promise<Answer>;
    /**
     * OpenID Connect Back-Channel Logout 1.0, §2.6. `form` is the body of the POST, as text or bytes. Rejects with
     * `ConfigurationError` without `issuer` and `client_id`.
     */
    backchannelLogout(form: { toString(): string }, handle?: (claims: Notice) => unknown): Promise<Answer>;
    /** For Express and its like; the user is `request.drawbridgeUser`. */
    middleware(demand?: Demand): (incoming: Incoming, response: Outgoing, next: (error?: unknown) => void) => Promise<void>;
    /** For node:http: `http.createServer(site.guarded(handler))`. */
    guarded<In extends Incoming, Out extends Outgoing>(
        handler: (incoming: In & Guarded, response: Out) => unknown, demand?: Demand): (incoming: In, response: Out) => void;
    /** For web sockets, which `guarded` and `middleware` never see: `server.on('upgrade', site.upgraded(handler))`. */
    upgraded<In extends Incoming, Socket extends UpgradeSocket, Head>(
        handler: (incoming: In & Guarded, socket: Socket, head: Head) => unknown, demand?: Demand):
        (incoming: In, socket: Socket, head: Head) => void;
    /**
     * For node:http and Express: the POST of a webhook or of a back-channel logout. Throws `ConfigurationError` without the
     * settings that it needs.
     */
    receiver(kind: "webhook" | "logout", handle?: (notice: Notice) => unknown):
        (incoming: IncomingNotice, response: Outgoing) => Promise<void>;
}

/** A path of this website; not `//elsewhere` nor `/\elsewhere`, which browsers read as another host. */
export declare const isReturnTarget: (target: string) => boolean;
export declare function send(response: Outgoing, answer: Answer): void;

declare global {
    namespace Express {
        interface Request {
            /** Who is signed in, behind `site.middleware()`. */
            drawbridgeUser?: User;
        }
    }
}
