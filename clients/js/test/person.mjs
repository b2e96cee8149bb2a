// A person with a browser of the smallest kind: cookies, forms, redirects. For tests against the real server.
import { createHmac } from "node:crypto";
import { request } from "node:http";

const navigation = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

/** As `fetch`, which does not let a test say what a browser says of its navigation. */
const visit = async (address, { method = "GET", headers, body }) => {
    const text = body?.toString() ?? "";
    const all = body ? { ...headers, "content-type": "application/x-www-form-urlencoded" } : headers;
    const answer = await new Promise((done, fail) => {
        request(address, { method, headers: { ...all, "content-length": Buffer.byteLength(text) } }, done)
            .once("error", fail).end(text);
    });
    const chunks = await answer.toArray();
    return {
        status: answer.statusCode,
        headers: {
            get: (name) => answer.headers[name] ?? null,
            getSetCookie: () => answer.headers["set-cookie"] ?? [],
        },
        text: async () => Buffer.concat(chunks).toString(),
        json: async () => JSON.parse(Buffer.concat(chunks).toString()),
    };
};

export class Person {
    constructor(demo, name) {
        this.demo = demo;
        this.account = demo.users.find((user) => user.username === name);
        this.cookies = new Map();
    }

    async get(address, headers = {}) {
        return this.#send(address, { headers: { "sec-fetch-site": "none", ...headers } });
    }

    async #send(address, { headers, ...more }) {
        const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const answer = await visit(new URL(address, this.demo.base_url), {
            ...more, headers: { ...navigation, ...headers, ...(cookie ? { cookie } : {}) },
        });
        for (const line of answer.headers.getSetCookie()) {
            const [name, ...value] = line.split(";")[0].split("=");
            if (value.join("=") === "") this.cookies.delete(name);
            else this.cookies.set(name, value.join("="));
        }
        return answer;
    }

    /** Signs in and agrees wherever that is asked; the first address that is not the provider's. */
    async go(address) {
        let answer = await this.get(address);
        for (let page = 0; page < 10; page += 1) {
            const location = answer.headers.get("location");
            if (location !== null) {
                if (!new URL(location, this.demo.base_url).href.startsWith(this.demo.base_url)) return location;
                answer = await this.get(location);
                continue;
            }
            answer = await this.#submit(await answer.text());
        }
        throw new Error("too many pages");
    }

    #submit(html) {
        const form = /<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/.exec(html);
        if (!form) throw new Error(`no form in ${html.slice(0, 500)}`);
        const attribute = (text, name) => new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1];
        const plain = (text) => text?.replaceAll("&amp;", "&").replaceAll("&#39;", "'").replaceAll("&quot;", "\"") ?? "";
        const fields = new URLSearchParams();
        for (const [input] of form[2].matchAll(/<input[^>]*>/g)) {
            const name = attribute(input, "name");
            if (name) fields.set(name, plain(attribute(input, "value")));
        }
        if (fields.has("password")) {
            fields.set("username", this.account.username);
            fields.set("password", this.account.password);
        }
        return this.#send(plain(form[1]), {
            method: "POST", body: fields,
            headers: { "sec-fetch-site": "same-origin", origin: new URL(this.demo.base_url).origin },
        });
    }
}

/** A bearer of the demo's trusted issuer: what an app of any backend holds. */
export const backendBearer = (demo, subject, client = "demo-app") => {
    const { issuer, audience, kid, hmac_secret: secret } = demo.trusted_issuer;
    const now = Math.floor(Date.now() / 1000);
    const text = [{ alg: "HS256", kid }, { iss: issuer, aud: audience, sub: subject, client_id: client, iat: now, exp: now + 300 }]
        .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    return `${text}.${createHmac("sha256", Buffer.from(secret, "base64url")).update(text).digest("base64url")}`;
};
