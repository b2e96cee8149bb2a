// Into the app's web view, and out of it (contract §5.4, §6).

import { secureAddress } from "./addresses.mjs";
import { json } from "./encoding.mjs";
import { DrawbridgeError, ofHost, wrong } from "./errors.mjs";
import { personOf } from "./shared-sign-in.mjs";
import { accessTokenType, deviceSecretType, exchangeGrant } from "./token-endpoint.mjs";
import { guarded } from "./vault.mjs";
import { WebViewCookie, isCookie, isSamePlace, reaches } from "./web-view-cookie.mjs";

const cookieType = "application/vnd.drawbridge.cookies+json";

export class WebView {
    #configuration;
    #vault;
    #transport;
    #provider;
    #sharedSignIn;
    #renewal;

    constructor({ configuration, vault, transport, provider, sharedSignIn, renewal }) {
        this.#configuration = configuration;
        this.#vault = vault;
        this.#transport = transport;
        this.#provider = provider;
        this.#sharedSignIn = sharedSignIn;
        this.#renewal = renewal;
    }

    async cookies(url, webViewClient) {
        this.#configuration.needClient();
        const page = this.#configuration.trusted(url);
        if (!page) throw wrong("cookies go to https pages alone");
        const endpoint = (await this.#provider.metadata()).token_endpoint;
        const origin = secureAddress(endpoint).host;
        const given = await this.#renewal.withToken(async (signIn) => {
            const shared = await this.#sharedSignIn.current();
            if (!shared || personOf(shared) !== signIn.subject) {
                throw new DrawbridgeError("not_signed_in", "there is no device secret of this person");
            }
            const answer = await this.#transport.send("POST", endpoint, {
                form: {
                    grant_type: exchangeGrant, client_id: webViewClient, subject_token: signIn.access_token,
                    subject_token_type: accessTokenType, actor_token: shared.device_secret,
                    actor_token_type: deviceSecretType,
                },
                accept: cookieType, proves: signIn.bound,
            });
            if (answer.status !== 200) throw this.#transport.failure(answer, "the token endpoint");
            return answer;
        });
        const list = given.type === cookieType ? json(given.text)?.cookies : null;
        if (!Array.isArray(list) || !list.every(isCookie)) {
            throw new DrawbridgeError(
                "unexpected_answer", `${webViewClient} gets no cookies; its client needs delivery: cookies`, given);
        }
        const fitting = list.filter((cookie) => reaches(cookie, page.host, origin));
        if (fitting.length === 0) {
            throw wrong(`the provider's cookies do not reach ${page.host}`);
        }
        return fitting.map((cookie) => new WebViewCookie(cookie, url));
    }

    /** Before anything is asked of the provider. */
    need() {
        if (!this.#configuration.webView) throw wrong("openWebView needs a webView among the options");
    }

    /** Fills the web view's cookies, then loads the page: the first request is signed in already. */
    async open(url, cookies) {
        // Remembered first: what was set can be taken out again, by another process too.
        const known = await this.#placed();
        const places = cookies.map(({ name, domain, path }) => ({ name, domain, path, url }));
        const others = known.filter((old) => !places.some((place) => isSamePlace(old, place)));
        await this.#vault.write(this.#vault.cookieItem, JSON.stringify([...others, ...places]));
        const { webView } = this.#configuration;
        for (const cookie of cookies) await guarded(() => webView.setCookie(cookie));
        await ofHost("the web view", () => webView.load(url));
    }

    async #placed() {
        try {
            const list = JSON.parse((await this.#vault.read(this.#vault.cookieItem)) ?? "[]");
            return Array.isArray(list) ? list : [];
        } catch (error) {
            if (error instanceof DrawbridgeError) throw error;
            return [];
        }
    }

    async clear() {
        let placed;
        try {
            placed = await this.#placed();
        } catch (error) {
            // A list that stayed unreadable would fail every sign-out to come.
            await this.#vault.remove(this.#vault.cookieItem).catch(() => {});
            throw error;
        }
        // Without the web view nothing is taken out of it, and the list waits for a sign-out that has it.
        if (!this.#configuration.webView || placed.length === 0) return;
        let stays = null;
        for (const place of placed) {
            await guarded(() => this.#configuration.webView.removeCookie(place)).catch((error) => {
                stays ??= error;
            });
        }
        if (stays) throw stays;
        await this.#vault.remove(this.#vault.cookieItem);
    }
}
