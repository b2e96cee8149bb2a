// Compiled by `tsc --strict`, not run: the types say what the library does.
import {
    Drawbridge, DrawbridgeError, memoryStore,
    type ErrorCode, type LoginLink, type SecretStore, type SignInBrowser, type SilentSignIn, type WebView,
} from "../drawbridge.mjs";
import { crypto, fileStore, loopbackBrowser, openInBrowser } from "../node.mjs";
import { watchSession, type SessionState } from "../page.mjs";

const browser: SignInBrowser = loopbackBrowser({ open: (address: string) => console.log(address.length) });
const store: SecretStore = fileStore("/tmp/secrets.json");
const webView: WebView = { setCookie() {}, load() {}, async removeCookie() {} };
const drawbridge = new Drawbridge({
    issuer: "https://id.example.com", clientId: "phone-app", store, browser, webView, crypto, dpop: true,
});

export const open = async (bearer: string): Promise<string> => {
    try {
        const link = await drawbridge.openURL("/contacts", { bearer: async () => bearer, carrier: "header" });
        const code: string | null = link.code;
        return `${link.url} ${Object.keys(link.headers).length} ${link.expiresAt} ${code ?? "no code"}`;
    } catch (error) {
        if (!(error instanceof DrawbridgeError)) throw error;
        const code: ErrorCode = error.code;
        return code === "come_back_later" ? `${error.seconds}` : `${error.oauth}`;
    }
};

export const show = (link: LoginLink): Promise<void> => openInBrowser(link);

/** What a refusal wants of a sign-in is what a sign-in takes. */
export const stronger = async (error: DrawbridgeError): Promise<string> =>
    (await drawbridge.signIn({ acrValues: error.acrValues, maxAge: error.maxAge })).sub;

export const givenUp = async (signal: AbortSignal): Promise<void> => {
    await drawbridge.signIn({ signal, prompt: "select_account" });
    await drawbridge.signInByDevice((code) => console.log(code.userCode), { signal });
    loopbackBrowser({ open: async () => {} }).close();
};

export const silently = async (): Promise<string> => {
    const result: SilentSignIn = await drawbridge.signInSilently();
    return result.signedIn ? result.claims.sub : result.reason;
};

export const follow = (show: (subject: string | undefined) => void): (() => Promise<void>) => {
    const session = watchSession();
    const shown = (state: SessionState): void => show(state.authenticated ? state.sub : undefined);
    session.addEventListener("change", (event) => shown(event.detail));
    return session.logout;
};

// @ts-expect-error a bearer is text or a function that gives it
void drawbridge.openURL("/", { bearer: 7 });
// @ts-expect-error a link's address says nothing of its headers
void openInBrowser("https://www.example.com/login-with-token?token=t");
// @ts-expect-error the issuer is needed
void new Drawbridge({ clientId: "x" });
// @ts-expect-error there is no such error
void new DrawbridgeError("oops");
void memoryStore().lock?.("name", async () => 7);
