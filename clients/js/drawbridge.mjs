// Drawbridge for apps written in JavaScript: Node 18 and later, browsers, React Native, Electron. No dependencies.
//
//     const link = await new Drawbridge({ issuer: "https://www.example.com" }).openURL("/contacts", { bearer });
//     openInTheBrowser(link.url);
//
// What the platform has of its own (fetch, storage, browser, web view, cryptography) comes in by the options, each a
// small interface; drawbridge.d.mts describes them. Nothing here logs, prints or keeps a token outside of the store.

export { Drawbridge } from "./drawbridge/client.mjs";
export { DrawbridgeError } from "./drawbridge/errors.mjs";
export { LoginLink } from "./drawbridge/login-links.mjs";
export { memoryStore } from "./drawbridge/stores.mjs";
export { WebViewCookie } from "./drawbridge/web-view-cookie.mjs";
