// The file of secrets, and settings that a timer does not take; and a store that does not let itself be read.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { Drawbridge, DrawbridgeError, memoryStore } from "../drawbridge.mjs";
import { crypto, fileStore } from "../node.mjs";

test("a sign-out without the web view keeps the list of its cookies for one that has it", async () => {
    const item = "drawbridge:app-a:http://127.0.0.1:1";
    const places = ["a", "b"].map((name) => ({ name, path: "/", url: "https://www.example.com/" }));
    const signedIn = JSON.stringify({ access_token: "at", subject: "alice", expires_at: 0 });
    const store = memoryStore();
    const app = (webView) => new Drawbridge({ issuer: "http://127.0.0.1:1", clientId: "app-a", store, webView });
    const signOut = async (webView) => {
        await store.set(item, signedIn);
        return app(webView).signOut().then(() => "done", (error) => error.code);
    };
    await store.set(`${item}:cookies`, JSON.stringify(places));
    assert.equal(await signOut(undefined), "done");
    assert.ok(await store.get(`${item}:cookies`));
    // A web view that fails at one cookie is told of, and loses the others all the same.
    const removed = [];
    let fails = true;
    const webView = {
        removeCookie: ({ name }) => {
            if (name === "a" && fails) throw new TypeError("gone");
            removed.push(name);
        },
    };
    assert.equal(await signOut(webView), "secret_store");
    assert.equal(await store.get(item), null);
    fails = false;
    assert.equal(await signOut(webView), "done");
    assert.deepEqual(removed, ["b", "a", "b"]);
    assert.equal(await store.get(`${item}:cookies`), null);
});

test("a kept proof key that is damaged counts as absent", async () => {
    for (const damaged of ["", "{", "[]", "{}", "{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"AA\",\"x\":\"AA\",\"y\":\"AA\"}"]) {
        const store = memoryStore();
        await store.set("drawbridge:app-a:http://127.0.0.1:1:key", damaged);
        await store.set("drawbridge:app-a:http://127.0.0.1:1",
            JSON.stringify({ access_token: "at", subject: "alice", expires_at: Date.now() + 60000, bound: true }));
        const proofs = [];
        const fetch = async (_, { headers }) => {
            proofs.push(headers.dpop);
            return new Response("{}", { status: 500 });
        };
        const app = new Drawbridge({
            issuer: "http://127.0.0.1:1", clientId: "app-a", store, dpop: true, fetch, crypto,
        });
        await assert.rejects(app.openURL("/"), { code: "unexpected_answer" });
        const { jwk } = JSON.parse(Buffer.from(proofs[0].split(".")[0], "base64url"));
        const kept = JSON.parse(await store.get("drawbridge:app-a:http://127.0.0.1:1:key"));
        assert.deepEqual([kept.x, kept.y], [jwk.x, jwk.y]);
    }
});

test("a new device secret is shared before the network is asked for the key of its ID token", async () => {
    const [issuer, shared] = ["http://127.0.0.1:1", "drawbridge-shared:maker"];
    const base64url = (bytes) => Buffer.from(bytes).toString("base64url");
    const hash = async (text) =>
        base64url((await crypto.subtle.digest("SHA-256", Buffer.from(text))).slice(0, 16));
    // Signed by nobody: only what can be looked at without the network fits.
    const idToken = async (secret, kid) => [
        { alg: "ES256", kid },
        { iss: issuer, aud: "app-a", sub: "alice", exp: 1e10, iat: 1, ds_hash: await hash(secret) },
    ].map((part) => base64url(JSON.stringify(part))).concat(base64url(new Uint8Array(64))).join(".");
    const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["verify", "sign"]);
    const key = { ...await crypto.subtle.exportKey("jwk", pair.publicKey), kid: "k2" };
    const description = {
        issuer, code_challenge_methods_supported: ["S256"],
        ...Object.fromEntries(["authorization_endpoint", "token_endpoint", "jwks_uri"].map(
            (name) => [name, `${issuer}/${name}`])),
    };
    for (const [keys, told, left] of [[null, "unreachable", "ds_2"], [[key], "id_token.signature", "ds_1"]]) {
        const store = memoryStore();
        const secret = async () => JSON.parse(await store.get(shared)).device_secret;
        await store.set(`drawbridge:app-a:${issuer}`, JSON.stringify(
            { access_token: "at_1", refresh_token: "rt_1", expires_at: 0, subject: "alice", bound: false }));
        await store.set(shared, JSON.stringify({ device_secret: "ds_1", id_token: await idToken("ds_1", "k1") }));
        const atKeys = [];
        const fetch = async (address) => {
            if (address.endsWith("/jwks_uri")) {
                atKeys.push(await secret());
                if (atKeys.length > 1 && keys === null) throw new TypeError("away");
                return Response.json({ keys: atKeys.length > 1 ? keys : [] });
            }
            return Response.json(address.endsWith("/token_endpoint") ? {
                access_token: "at_2", token_type: "Bearer", expires_in: 300, refresh_token: "rt_2",
                device_secret: "ds_2", id_token: await idToken("ds_2", "k2"),
            } : description);
        };
        const app = new Drawbridge({ issuer, clientId: "app-a", sharing: "maker", store, fetch, crypto });
        await assert.rejects(app.accessToken(), { code: told });
        assert.deepEqual(atKeys, ["ds_1", "ds_2"]);
        assert.equal(await secret(), left);
    }
});

test("an https provider's link, endpoint or page on this machine in plain http is not trusted", async () => {
    const issuer = "https://127.0.0.1";
    const told = async (status, said, call) => {
        const fetch = async () => new Response(JSON.stringify(said), { status });
        const app = new Drawbridge({ issuer, clientId: "app-a", store: memoryStore(), fetch, crypto });
        return call(app).then((found) => found.url, (error) => error);
    };
    const open = (app) => app.openURL("/", { bearer: "t" });
    const cookies = (url) => (app) => app.cookies(url, "web-view");
    const link = (url) => ({ login_url: url, expires_in: 60 });
    assert.equal(await told(200, link(`${issuer}/in`), open), `${issuer}/in`);
    assert.equal((await told(200, link("http://127.0.0.1/in"), open)).code, "unexpected_answer");
    const refusal = (page) => ({ error: "invalid_redirect", error_uri: page });
    assert.equal((await told(400, refusal(`${issuer}/help`), open)).page, `${issuer}/help`);
    assert.equal((await told(400, refusal("http://127.0.0.1/help"), open)).page, null);
    const names = ["authorization", "token", "userinfo", "revocation", "device_authorization"].map((name) => `${name}_endpoint`);
    const description = Object.fromEntries([...names, "jwks_uri"].map((name) => [name, `${issuer}/${name}`]));
    Object.assign(description, { issuer, code_challenge_methods_supported: ["S256"] });
    assert.equal((await told(200, description, cookies(`${issuer}/`))).code, "not_signed_in");
    assert.equal((await told(200, description, cookies("http://127.0.0.1/"))).code, "configuration");
    for (const name of [...names, "jwks_uri"]) {
        const plain = { ...description, [name]: `http://127.0.0.1/${name}` };
        assert.equal((await told(200, plain, cookies(`${issuer}/`))).code, "provider.endpoint", name);
    }
});

test("a timeout that a timer does not take is refused", () => {
    for (const timeout of [0, -1, NaN, "30", 2 ** 31, Infinity]) {
        assert.throws(() => new Drawbridge({ issuer: "https://www.example.com", timeout }), { code: "configuration" });
    }
});

test("a scope that is no list of words is refused", () => {
    for (const scope of ["profile offline_access", [7], [""], {}]) {
        assert.throws(() => new Drawbridge({ issuer: "https://www.example.com", scope }), { code: "configuration" });
    }
});

test("a carrier or an extent that there is not is refused before anything is sent", async () => {
    const fetch = async () => assert.fail("nothing is to be sent");
    const app = new Drawbridge({ issuer: "http://127.0.0.1:1", clientId: "app-a", fetch, crypto });
    for (const unknown of ["Header", "headers", "", null, true]) {
        await assert.rejects(app.openURL("/", { bearer: "t", carrier: unknown }), { code: "configuration", message: /carrier/ });
    }
    for (const unknown of ["everything", "this_app", "", null]) {
        await assert.rejects(app.signOut(unknown), { code: "configuration", message: /extent/ });
    }
});

test("a kept token with half of a character is one that the provider does not know", async () => {
    const store = memoryStore();
    const item = "drawbridge:app-a:http://127.0.0.1:1";
    await store.set(item, JSON.stringify(
        { access_token: "at", refresh_token: "rt\ud800", expires_at: 0, subject: "alice", bound: false }));
    const base = "http://127.0.0.1:1";
    const description = {
        issuer: base, code_challenge_methods_supported: ["S256"], authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`, jwks_uri: `${base}/keys`,
    };
    const fetch = async (address) => (address.endsWith("/token")
        ? new Response(JSON.stringify({ error: "invalid_grant" }), { status: 400 }) : new Response(JSON.stringify(description)));
    const app = new Drawbridge({ issuer: base, clientId: "app-a", store, fetch, crypto });
    await assert.rejects(app.accessToken(), { code: "not_signed_in" });
    assert.equal(await store.get(item), null);
});

test("a platform without coders of text opens a page with a bearer, and says what a sign-in lacks", async () => {
    // In a program of its own, where no file of the library is loaded yet. An answer of React Native has no stream either.
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", `
        const headers = new Headers();
        delete globalThis.TextDecoder;
        delete globalThis.TextEncoder;
        const { Drawbridge, memoryStore } = await import(${JSON.stringify(new URL("../drawbridge.mjs", import.meta.url).href)});
        const answer = JSON.stringify({ login_url: "http://127.0.0.1:1/in", expires_in: 60 });
        const fetch = async () => ({ status: 200, headers, text: async () => answer });
        const app = new Drawbridge({ issuer: "http://127.0.0.1:1", clientId: "app-a", sharing: "maker", fetch, store: {
            ...memoryStore(), get: async () => JSON.stringify({ device_secret: "ds", id_token: "e30.e30.AA" }),
        } });
        const { url } = await app.openURL("/", { bearer: "t" });
        const { error } = await app.signInSilently();
        console.log(JSON.stringify({ url, code: error.code, message: error.message }));
    `]);
    const { url, code, message } = JSON.parse(stdout);
    assert.equal(url, "http://127.0.0.1:1/in");
    assert.equal(code, "configuration");
    assert.match(message, /TextDecoder/);
});

test("a lock that cannot be read is an error, and nobody waits for it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    try {
        const path = join(folder, "secrets.json");
        await mkdir(`${path}.lock`);
        const waiting = new Promise((done) => setTimeout(done, 3000, "it waits").unref());
        const ended = fileStore(path).set("a", "1").then(() => "done", (error) => error.code);
        assert.equal(await Promise.race([ended, waiting]), "secret_store");
        await rm(`${path}.lock`, { recursive: true });
        await fileStore(path).set("a", "1");
        assert.equal(await fileStore(path).get("a"), "1");
    } finally {
        await rm(folder, { recursive: true });
    }
});

test("a file that others can read is not used, nor one that a link leads to, nor a folder that others can write to", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    try {
        const refused = { code: "secret_store" };
        const path = join(folder, "secrets.json");
        await fileStore(path).set("a", "1");
        await chmod(path, 0o644);
        await assert.rejects(fileStore(path).get("a"), refused);
        await assert.rejects(fileStore(path).set("a", "2"), refused);
        const other = join(folder, "other.json");
        await writeFile(other, "{}", { mode: 0o600 });
        await symlink(other, join(folder, "link.json"));
        await assert.rejects(fileStore(join(folder, "link.json")).get("a"), refused);
        await mkdir(join(folder, "open"));
        await chmod(join(folder, "open"), 0o777);
        await assert.rejects(fileStore(join(folder, "open/secrets.json")).set("a", "1"), refused);
        assert.deepEqual(await readdir(join(folder, "open")), []);
    } finally {
        await rm(folder, { recursive: true });
    }
});

test("a link that waits under the name of the next file is neither followed nor kept", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    try {
        const path = join(folder, "secrets.json");
        const trap = join(folder, "trap");
        await writeFile(trap, "before");
        await symlink(trap, `${path}.${process.pid}.new`);
        await fileStore(path).set("a", "1");
        assert.equal(await readFile(trap, "utf8"), "before");
        assert.equal(await fileStore(path).get("a"), "1");
    } finally {
        await rm(folder, { recursive: true });
    }
});

test("what cannot be read leaves the device at the sign-out all the same", async () => {
    for (const [extent, expected] of [
        ["thisApp", ["drawbridge:app-a:http://127.0.0.1:1", "drawbridge:app-a:http://127.0.0.1:1:cookies"]],
        ["device", ["drawbridge:app-a:http://127.0.0.1:1", "drawbridge-shared:maker",
            "drawbridge:app-a:http://127.0.0.1:1:cookies"]],
    ]) {
        const removed = [];
        const store = {
            get: async () => { throw new Error("damaged"); },
            set: async () => assert.fail("nothing is to be kept"),
            remove: async (name) => void removed.push(name),
        };
        const app = new Drawbridge({ issuer: "http://127.0.0.1:1", clientId: "app-a", sharing: "maker", store });
        // Which cookies the web view has cannot be known, and that is told; the list leaves as well.
        await assert.rejects(app.signOut(extent), { code: "secret_store" });
        assert.deepEqual(removed, expected);
    }
});

test("a damaged file is no answer, and the next change makes a whole one of it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    try {
        const path = join(folder, "secrets.json");
        for (const damaged of ["", "{\"a\":\"1", "\0\0\0\0", "[]", "null", "\"text\"", "7"]) {
            for (const change of [(store) => store.remove("a"), (store) => store.set("b", "2")]) {
                await writeFile(path, damaged, { mode: 0o600 });
                const store = fileStore(path);
                await assert.rejects(store.get("a"), { code: "secret_store" }, damaged);
                await change(store);
                assert.equal(await store.get("a"), null);
                await store.set("c", "3");
                assert.equal(await store.get("c"), "3");
            }
        }
        await writeFile(path, "", { mode: 0o600 });
        const app = new Drawbridge({
            issuer: "http://127.0.0.1:1", clientId: "app-a", sharing: "maker", store: fileStore(path),
        });
        await assert.rejects(app.accessToken(), { code: "secret_store" });
        await assert.rejects(app.signOut(), { code: "signed_out_here_only" });
        await assert.rejects(app.accessToken(), { code: "not_signed_in" });
        assert.deepEqual(await readdir(folder), ["secrets.json"]);
    } finally {
        await rm(folder, { recursive: true });
    }
});

test("secrets are on the disk before they take the place of others, and then their place is too", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    const probe = await open(folder);
    const { sync } = Object.getPrototypeOf(probe);
    const path = join(folder, "secrets.json");
    const atSync = [];
    try {
        Object.getPrototypeOf(probe).sync = async function (...none) {
            const draft = (await readdir(folder)).find((name) => name.endsWith(".new"));
            const written = draft && JSON.parse(await readFile(join(folder, draft), "utf8"));
            const what = (await this.stat()).isDirectory() ? "folder" : written;
            atSync.push([what, await fileStore(path).get("a")]);
            return sync.apply(this, none);
        };
        await fileStore(path).set("a", "1");
        await fileStore(path).set("a", "2");
        assert.deepEqual(atSync, [[{ a: "1" }, null], ["folder", "1"], [{ a: "2" }, "1"], ["folder", "2"]]);
    } finally {
        Object.getPrototypeOf(probe).sync = sync;
        await probe.close();
        await rm(folder, { recursive: true });
    }
});

test("a file system that does not flush folders keeps secrets all the same, and one whose disk fails says so", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    const probe = await open(folder);
    const { sync } = Object.getPrototypeOf(probe);
    const store = fileStore(join(folder, "secrets.json"));
    let code = null;
    try {
        Object.getPrototypeOf(probe).sync = async function (...none) {
            if ((await this.stat()).isDirectory()) throw Object.assign(new Error("not flushed"), { code });
            return sync.apply(this, none);
        };
        for (code of ["EINVAL", "ENOTSUP"]) {
            await store.set("a", code);
            assert.equal(await store.get("a"), code);
        }
        code = "EIO";
        await assert.rejects(store.set("a", "lost"), { code });
    } finally {
        Object.getPrototypeOf(probe).sync = sync;
        await probe.close();
        await rm(folder, { recursive: true });
    }
});

test("a sign-out without its lock ends and takes out everything, and tells of the lock", async () => {
    const tokens = { access_token: "at", refresh_token: "rt", expires_at: 0, subject: "alice", bound: false };
    for (const failing of [
        { lock: async () => { throw Object.assign(new Error("no space"), { code: "ENOSPC" }); } },
        { lock: () => { throw new Error("at once"); } },
        { lock: async () => { throw new DrawbridgeError("secret_store", "the folder is open to others"); } },
    ]) {
        const [item, revoked] = ["drawbridge:app-a:http://127.0.0.1:1", []];
        const store = { ...memoryStore(), ...failing };
        await store.set(item, JSON.stringify(tokens));
        const answer = (value) => new Response(JSON.stringify(value), { headers: { "content-type": "application/json" } });
        const app = new Drawbridge({
            issuer: "http://127.0.0.1:1", clientId: "app-a", store,
            fetch: async (address, { body }) => {
                if (address.endsWith("/revoke")) revoked.push(new URLSearchParams(String(body)).get("token"));
                return answer(Object.fromEntries([
                    ["issuer", "http://127.0.0.1:1"], ["code_challenge_methods_supported", ["S256"]],
                    ...["authorization_endpoint", "token_endpoint", "jwks_uri", "revocation_endpoint"].map(
                        (name) => [name, `http://127.0.0.1:1/${name === "revocation_endpoint" ? "revoke" : name}`]),
                ]));
            },
        });
        const told = (error) => error instanceof DrawbridgeError && error.code === "secret_store";
        await assert.rejects(app.accessToken(), told);
        await assert.rejects(app.signOut(), told);
        assert.deepEqual(revoked, ["rt"]);
        assert.equal(await store.get(item), null);
        await assert.rejects(app.signOut(), { code: "not_signed_in" });
    }
});

test("a lock that cannot be given back does not sign out twice", async () => {
    let revocations = 0;
    const store = memoryStore();
    const { lock } = store;
    await store.set("drawbridge:app-a:http://127.0.0.1:1", JSON.stringify(
        { access_token: "at", refresh_token: "rt", expires_at: 0, subject: "alice", bound: false }));
    store.lock = async (name, work) => {
        await lock(name, work);
        throw new Error("it stays");
    };
    const app = new Drawbridge({
        issuer: "http://127.0.0.1:1", clientId: "app-a", store, fetch: async () => {
            revocations += 1;
            throw new TypeError("away");
        },
    });
    await assert.rejects(app.signOut(), { code: "secret_store" });
    assert.equal(revocations, 1);
});
