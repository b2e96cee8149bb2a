/** What `GET /session` says. */
export interface SessionState {
    readonly authenticated: boolean;
    readonly sub?: string;
    readonly [member: string]: unknown;
}

/** The session of a page's origin. */
export interface SessionWatch {
    /** The last known state; null before the first answer. */
    session(): SessionState | null;
    /** Whether somebody is signed in, as far as is known without asking. */
    hasSession(): boolean;
    /** Asks now; what is known then. Not knowing is not being signed out: a state stays until an answer comes. */
    refresh(): Promise<SessionState | null>;
    /** Ends the session; other tabs hear of it. */
    logout(): Promise<void>;
    /** `change`: the state after it changed; `signed-out`: the session is gone, here or elsewhere. */
    addEventListener(name: "change" | "signed-out", listener: (event: CustomEvent<SessionState>) => void): void;
    removeEventListener(name: "change" | "signed-out", listener: (event: CustomEvent<SessionState>) => void): void;
}

/** What a page may wish for. */
export interface WatchOptions {
    /** A key of localStorage that is "true" while somebody is signed in, for scripts that go by one. */
    readonly flag?: string;
}

/** Watches the session of this page's origin; once for a page. */
export declare const watchSession: (options?: WatchOptions) => SessionWatch;
