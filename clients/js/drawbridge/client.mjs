// An app's way to its provider: each of its ways in, out and onto the web is a part of its own.

import { BrowserSignIn } from "./browser-sign-in.mjs";
import { Configuration } from "./configuration.mjs";
import { Cryptography } from "./cryptography.mjs";
import { DeviceSignIn } from "./device-sign-in.mjs";
import { IDTokens } from "./id-token.mjs";
import { LoginLinks } from "./login-links.mjs";
import { OwnSignIn } from "./own-sign-in.mjs";
import { Proofs } from "./proof.mjs";
import { Provider } from "./provider.mjs";
import { Renewal } from "./renewal.mjs";
import { Revocation } from "./revocation.mjs";
import { SharedSignIn } from "./shared-sign-in.mjs";
import { SignOut } from "./sign-out.mjs";
import { SilentSignIn } from "./silent-sign-in.mjs";
import { TokenEndpoint } from "./token-endpoint.mjs";
import { Transport } from "./transport.mjs";
import { UserInfo } from "./user-info.mjs";
import { Vault } from "./vault.mjs";
import { WebView } from "./web-view.mjs";

export class Drawbridge {
    #renewal;
    #links;
    #browserSignIn;
    #silentSignIn;
    #deviceSignIn;
    #userInfo;
    #webView;
    #signOut;

    constructor(options) {
        const configuration = new Configuration(options);
        const vault = new Vault(configuration);
        const cryptography = new Cryptography(configuration.crypto);
        const proofs = new Proofs(configuration, vault, cryptography);
        const transport = new Transport(configuration, proofs);
        const provider = new Provider(configuration, transport);
        const tokenEndpoint = new TokenEndpoint(configuration, transport, provider);
        const idTokens = new IDTokens(configuration, provider, cryptography);
        const sharedSignIn = new SharedSignIn(configuration, vault);
        const revocation = new Revocation({ configuration, vault, transport, provider, sharedSignIn });
        const ownSignIn = new OwnSignIn(configuration, vault, revocation);
        const common = {
            configuration, vault, cryptography, proofs, transport, provider, tokenEndpoint, idTokens, sharedSignIn,
            revocation, ownSignIn,
        };
        const renewal = new Renewal(common);
        this.#renewal = renewal;
        this.#links = new LoginLinks(configuration, transport, renewal);
        this.#browserSignIn = new BrowserSignIn(common);
        this.#silentSignIn = new SilentSignIn({ ...common, renewal });
        this.#deviceSignIn = new DeviceSignIn(common);
        this.#userInfo = new UserInfo({ ...common, renewal });
        this.#webView = new WebView({ ...common, renewal });
        this.#signOut = new SignOut({ ...common, renewal, webView: this.#webView });
    }

    /**
     * A link that opens a page of the website, signed in.
     * With `bearer` any backend's token that the provider trusts; without, the token of this app's own sign-in.
     */
    async openURL(path, { bearer, website, carrier = "query" } = {}) {
        return this.#links.link(path, { bearer, website, carrier });
    }

    /** Opens the browser, checks what comes back, keeps the tokens. Gives the claims of the ID token. */
    async signIn(options = {}) {
        return this.#browserSignIn.signIn(options);
    }

    /**
     * Tries to sign in without a person: `{signedIn: true, claims}` or `{signedIn: false, reason, error}`. Whoever is
     * signed in already stays so, with the claims of that sign-in; no second one is made.
     */
    async signInSilently() {
        return this.#silentSignIn.signIn();
    }

    /**
     * Shows a code by `show({userCode, verificationUri, completeUri, expiresAt})` and asks until the person answers, or the
     * signal ends the asking.
     */
    async signInByDevice(show, { signal } = {}) {
        return this.#deviceSignIn.signIn(show, signal);
    }

    /** An access token that is good for half a minute at least; renewed first when it is not. */
    async accessToken() {
        return (await this.#renewal.current()).access_token;
    }

    /** Who is signed in, as the provider knows them (OpenID Connect Core §5.3). */
    async person() {
        return this.#userInfo.person();
    }

    /** The cookies that sign a web view in at an address; only those that its host gets. */
    async cookies(url, webViewClient) {
        return this.#webView.cookies(url, webViewClient);
    }

    /** Fills the web view's cookies, then loads the page: the first request is signed in already. */
    async openWebView(url, webViewClient) {
        this.#webView.need();
        await this.#webView.open(url, await this.cookies(url, webViewClient));
    }

    /**
     * Signs out: `device` ends what the maker's apps share as well, `thisApp` this app alone. The secrets and the web
     * view's cookies leave this device in every case, also when the provider cannot be told.
     */
    async signOut(extent = "device") {
        await this.#signOut.signOut(extent);
    }
}
