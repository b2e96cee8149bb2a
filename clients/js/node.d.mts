// Types of node.mjs.
import type { LoginLink, SecretStore, SignInBrowser } from "./drawbridge.mjs";

/** Web Cryptography, which Node 18 does not have among its globals. */
export declare const crypto: Crypto;

/**
 * The system's browser, with the answer brought to a free port of 127.0.0.1, or of ::1 where there is no IPv4. One sign-in
 * at a time: a second one ends the first, which is `cancelled`, as `close()` does.
 */
export declare function loopbackBrowser(options?: {
    /** Shows the address; when it fails, so does the sign-in. */
    open?: (address: string) => void | Promise<void>;
    /** Milliseconds. */
    patience?: number;
    path?: string;
}): Required<SignInBrowser> & {
    /** Ends the sign-in that is under way, if there is one. */
    close(): void;
};

/**
 * Opens a login link at once in the system's browser, with no shell in between. Rejects with `configuration` where there is
 * no browser, and for a link with `carrier: "header"`, whose header no browser sends.
 */
export declare function openInBrowser(link: LoginLink): Promise<void>;

/** Secrets in one file that only this user can read. */
export declare function fileStore(path: string): Required<SecretStore>;
