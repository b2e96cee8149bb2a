// Arguments that would mean something else, and what must not be left behind, at the provider and on the disk.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Drawbridge, memoryStore } from "../drawbridge.mjs";
import { crypto, fileStore } from "../node.mjs";

const issuer = "http://127.0.0.1:1";
const [item, sharedItem] = [`drawbridge:app-a:${issuer}`, "drawbridge-shared:maker"];
const base64url = (bytes) => Buffer.from(bytes).toString("base64url");

/** Answers in place of the network, and is the person's browser. */
const startProvider = async () => {
    const ec = { name: "ECDSA", namedCurve: "P-256" };
    const pair = await crypto.subtle.generateKey(ec, true, ["verify", "sign"]);
    const key = { ...await crypto.subtle.exportKey("jwk", pair.publicKey), kid: "k1" };
    const names = ["authorization_endpoint", "token_endpoint", "jwks_uri", "revocation_endpoint"];
    const description = {
        issuer, code_challenge_methods_supported: ["S256"],
        ...Object.fromEntries(names.map((name) => [name, `${issuer}/${name}`])),
    };
    const provider = { asked: [], revoked: [], nonce: null };
    provider.idToken = async (secret) => {
        const hash = base64url((await crypto.subtle.digest("SHA-256", Buffer.from(secret))).slice(0, 16));
        const signed = [
            { alg: "ES256", kid: "k1" },
            { iss: issuer, aud: "app-a", sub: "alice", exp: 1e10, iat: 1, nonce: provider.nonce, ds_hash: hash },
        ].map((part) => base64url(JSON.stringify(part))).join(".");
        const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, pair.privateKey, Buffer.from(signed));
        return `${signed}.${base64url(signature)}`;
    };
    provider.fetch = async (address, { body }) => {
        if (address.endsWith("/jwks_uri")) return Response.json({ keys: [key] });
        if (address.endsWith("/token_endpoint")) {
            return Response.json({
                access_token: "at_2", token_type: "Bearer", expires_in: 300, refresh_token: "rt_2", device_secret: "ds_2",
                id_token: await provider.idToken("ds_2"),
            });
        }
        const form = new URLSearchParams(body);
        if (address.endsWith("/revocation_endpoint")) provider.revoked.push([form.get("token_type_hint"), form.get("token")]);
        return Response.json(description);
    };
    provider.open = async (address) => {
        const query = new URL(address).searchParams;
        provider.asked.push(query);
        provider.nonce = query.get("nonce");
        return `${query.get("redirect_uri")}?code=c&state=${query.get("state")}&iss=${issuer}`;
    };
    provider.app = (options = {}) => new Drawbridge({
        issuer, clientId: "app-a", redirectUri: "com.example.app:/callback", fetch: provider.fetch, browser: provider, crypto,
        ...options,
    });
    return provider;
};

for (const [known, revoked] of [
    [null, [["refresh_token", "rt_2"], ["device_secret", "ds_2"]]],
    // The device was there before, and others may be signed in on it.
    ["ds_1", [["refresh_token", "rt_2"]]],
    ["ds_2", [["refresh_token", "rt_2"]]],
]) {
    test(`a sign-in that cannot be kept ends at the provider, and what was shared before is so again: ${known}`, async () => {
        const provider = await startProvider();
        const store = memoryStore();
        const before = known && JSON.stringify({ device_secret: known, id_token: await provider.idToken(known) });
        if (before) await store.set(sharedItem, before);
        const full = {
            ...store, set: async (name, value) => {
                if (name === item) throw new Error("no space");
                return store.set(name, value);
            },
        };
        await assert.rejects(provider.app({ sharing: "maker", store: full }).signIn(), { code: "secret_store" });
        assert.deepEqual([provider.revoked, await store.get(sharedItem)], [revoked, before]);
    });
}

test("a sign-in replaces one that cannot be read", async () => {
    const provider = await startProvider();
    const kept = memoryStore();
    let isDamaged = true;
    const store = {
        ...kept,
        get: async (name) => {
            if (name === item && isDamaged) throw new Error("damaged");
            return kept.get(name);
        },
        set: async (name, value) => {
            isDamaged = false;
            return kept.set(name, value);
        },
    };
    const app = provider.app({ store });
    assert.equal((await app.signIn()).sub, "alice");
    assert.deepEqual([await app.accessToken(), provider.revoked], ["at_2", []]);
});

test("one text in place of a list is refused before anything is sent", async () => {
    const provider = await startProvider();
    for (const given of ["aal2", "", 7, {}, [7], [""], [null]]) {
        for (const name of ["acrValues", "languages"]) {
            const app = provider.app({ fetch: async () => assert.fail("nothing is to be sent") });
            await assert.rejects(app.signIn({ [name]: given }), { code: "configuration", message: /list of words/ });
        }
    }
    await provider.app().signIn({ acrValues: ["aal2", "mfa"], languages: ["de"] });
    assert.deepEqual([provider.asked[0].get("acr_values"), provider.asked[0].get("ui_locales")], ["aal2 mfa", "de"]);
    for (const none of [[], null, undefined]) {
        await provider.app().signIn({ acrValues: none, languages: none, maxAge: null });
        assert.ok(!["acr_values", "ui_locales", "max_age"].some((name) => provider.asked.at(-1).has(name)));
    }
});

test("a function that has no bearer to give does not mean the app's own sign-in", async () => {
    const store = memoryStore();
    await store.set(item, JSON.stringify({ access_token: "at", subject: "alice", expires_at: Date.now() + 60000 }));
    const app = new Drawbridge({ issuer, clientId: "app-a", store, fetch: async () => assert.fail("nothing is to be sent") });
    for (const given of [undefined, null, "", "a b", 7]) {
        for (const bearer of [() => given, async () => given]) {
            await assert.rejects(app.openURL("/", { bearer }), { code: "configuration", message: /bearer/ });
        }
    }
});

test("an answer that came by a redirect is not believed, where fetch follows them whatever it is told", async () => {
    const address = `${issuer}/api/auth/create-sso-token`;
    const link = async (members) => new Drawbridge({
        issuer, fetch: async () => Object.defineProperties(
            Response.json({ login_url: `${issuer}/login-with-token?token=t`, expires_in: 60 }, { headers: { "x-request-id": "r1" } }),
            Object.fromEntries(Object.entries(members).map(([name, value]) => [name, { value }]))),
    }).openURL("/", { bearer: "at" });
    // React Native has no `redirected`, and a service worker no address that would tell.
    for (const members of [
        { url: "https://evil.example/api/auth/create-sso-token", redirected: undefined }, { url: `${address}/else` },
        { url: address, redirected: true }, { url: "", redirected: true },
    ]) {
        await assert.rejects(link(members), { code: "unexpected_answer", requestId: "r1", message: /redirect/ });
    }
    for (const url of ["", undefined, address, address.replace("http", "HTTP")]) {
        assert.equal((await link({ url, redirected: undefined })).url, `${issuer}/login-with-token?token=t`);
    }
});

test("what a killed process had written goes with the next change, and nothing beside it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-ends-"));
    try {
        const path = join(folder, "secrets.json");
        const others = [`secrets.json.${randomUUID()}`, `other.json.${randomUUID()}.new`, "secrets.json.new", "secrets.json.old.new"];
        for (const name of others) await writeFile(join(folder, name), "");
        for (const change of [(store) => store.set("a", "1"), (store) => store.remove("a")]) {
            for (const name of [randomUUID(), "4711"]) await writeFile(`${path}.${name}.new`, "{\"a\":\"secret\"}");
            await change(fileStore(path));
            assert.deepEqual((await readdir(folder)).sort(), [...others, "secrets.json"].sort());
        }
        assert.equal(await readFile(path, "utf8"), "{}");
    } finally {
        await rm(folder, { recursive: true });
    }
});
