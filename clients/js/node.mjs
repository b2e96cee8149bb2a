// What Node has of its own: the system's browser, also for a sign-in that comes back to loopback, a file for secrets,
// cryptography on Node 18.

import { webcrypto } from "node:crypto";

export { fileStore } from "./node/file-store.mjs";
export { loopbackBrowser } from "./node/loopback-browser.mjs";
export { openInBrowser } from "./node/system-browser.mjs";

/** Web Cryptography, which Node 18 does not have among its globals. */
export const crypto = globalThis.crypto ?? webcrypto;
