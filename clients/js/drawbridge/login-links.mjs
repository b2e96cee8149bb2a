// From the app onto the web (contract §3).

import { cut } from "./addresses.mjs";
import { isVisible } from "./checks.mjs";
import { json } from "./encoding.mjs";
import { DrawbridgeError, ofHost, wrong } from "./errors.mjs";

/** An address that signs a browser in, once, for at most a minute. It prints as `<login link>`; `url` is the address. */
export class LoginLink {
    #url;
    #headers;
    #code;

    constructor(url, headers, expiresAt, code = null) {
        this.#url = url;
        this.#headers = headers;
        this.#code = code;
        /** Until when it works, milliseconds since 1970 by this device's clock. */
        this.expiresAt = expiresAt;
    }

    /** What to open, at once. Never log, copy or share it. */
    get url() {
        return this.#url;
    }

    /** To be sent with the first request: empty, or the token when it is not to be in the address. */
    get headers() {
        return { ...this.#headers };
    }

    /**
     * Six digits to show to the person, who types them into the page; null where the website asks for none. Never send
     * them along with the link.
     */
    get code() {
        return this.#code;
    }

    toString() {
        return "<login link>";
    }

    toJSON() {
        return "<login link>";
    }
}

export class LoginLinks {
    #configuration;
    #transport;
    #renewal;

    constructor(configuration, transport, renewal) {
        this.#configuration = configuration;
        this.#transport = transport;
        this.#renewal = renewal;
    }

    async link(path, { bearer, website, carrier }) {
        // Another word would put the token into the address, against the app's will.
        if (carrier !== "query" && carrier !== "header") {
            throw wrong("the carrier must be \"query\" or \"header\"");
        }
        const wish = JSON.stringify({ redirect: path ?? undefined, client_id: website ?? undefined });
        const given = typeof bearer === "function" ? await ofHost("the bearer", () => bearer()) : bearer;
        // What has none to give does not mean the app's own sign-in.
        if ((given !== undefined || typeof bearer === "function") && !isVisible(given)) {
            throw wrong("the bearer is empty or not a token");
        }
        const ask = async (token, proves) => {
            const answer = await this.#transport.send("POST", `${this.#configuration.issuer}/api/auth/create-sso-token`, {
                body: wish, type: "application/json", token, proves,
            });
            if (answer.status !== 200) throw this.#transport.failure(answer, "the login token endpoint");
            return answer;
        };
        const answer = given === undefined
            ? await this.#renewal.withToken((signIn) => ask(signIn.access_token, signIn.bound)) : await ask(given, false);
        return this.#read(json(answer.text), answer, carrier);
    }

    #read(answer, { requestId }, carrier) {
        const unexpected = (what) => new DrawbridgeError("unexpected_answer", what, { requestId });
        const target = this.#configuration.trusted(answer?.login_url);
        const life = answer?.expires_in;
        if (!target || !Number.isFinite(life) || life <= 0) {
            throw unexpected("it holds no login address to be trusted");
        }
        const expiresAt = this.#configuration.now() + 1000 * life;
        const code = answer.login_code ?? null;
        if (code !== null && !isLoginCode(code)) throw unexpected("its login code is not six digits");
        if (carrier !== "header") return new LoginLink(target.text, {}, expiresAt, code);
        if (!isVisible(answer.token)) throw unexpected("it holds no token for the header");
        const [address, query] = cut(target.text);
        const rest = (query ?? "").split("&").filter((pair) => pair !== "" && !pair.startsWith("token=")).join("&");
        const url = rest === "" ? address : `${address}?${rest}`;
        if (url.includes(answer.token)) throw unexpected("the token is in the path");
        return new LoginLink(url, { "Drawbridge-Login-Token": answer.token }, expiresAt, code);
    }
}

const isLoginCode = (value) => typeof value === "string" && /^[0-9]{6}$/.test(value);
