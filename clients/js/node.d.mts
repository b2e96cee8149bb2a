// Types of node.mjs.
import type { SecretStore, SignInBrowser } from "./drawbridge.mjs";

/** Web Cryptography, which Node 18 does not have among its globals. */
export declare const crypto: Crypto;

/**
 * The system's browser, with the answer brought to a free port of 127.0.0.1, or of ::1 where there is no IPv4. One sign-in
 * at a time: a second one ends the first, which is `cancelled`.
 */
export declare function loopbackBrowser(options?: {
    open?: (address: string) => void;
    /** Milliseconds. */
    patience?: number;
    path?: string;
}): Required<SignInBrowser>;

/** Secrets in one file that only this user can read. */
export declare function fileStore(path: string): Required<SecretStore>;
