// The library against the service itself: `drawbridge demo`.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { Drawbridge, memoryStore } from "../drawbridge.mjs";
import { crypto, fileStore, loopbackBrowser } from "../node.mjs";
import { backendBearer, Person } from "./person.mjs";
import { startDemo } from "./server.mjs";

const demo = await startDemo();
const folder = mkdtempSync(join(tmpdir(), "drawbridge-js-"));

after(async () => {
    await demo.stop();
    rmSync(folder, { recursive: true });
});

/** An app of the demo, whose sign-in page is filled in by a person. */
const app = (options = {}, person = new Person(demo, "alice")) => {
    const goBack = async (address) => void (await fetch(await person.go(address)));
    return new Drawbridge({
        issuer: demo.issuer, clientId: "demo-app", sharing: "demo", crypto, browser: loopbackBrowser({ open: goBack }),
        ...options,
    });
};

const whoIs = async (person) => (await (await person.get("/session")).json()).sub;

describe("against the real server", () => {
    test("a backend's bearer opens a page signed in, once", async () => {
        const alice = demo.users.find((user) => user.username === "alice").sub;
        const drawbridge = new Drawbridge({ issuer: demo.issuer });
        const link = await drawbridge.openURL("/contacts", { bearer: backendBearer(demo, alice) });
        const browser = new Person(demo, "alice");
        const landing = await browser.get(link.url);
        assert.equal(landing.status, 303);
        assert.equal(landing.headers.get("location"), `${demo.base_url}/contacts`);
        assert.equal(await whoIs(browser), alice);
        // Another browser, at once: at most taken for a double tap, which opens nothing.
        const thief = new Person(demo, "alice");
        await thief.get(link.url);
        assert.equal(await whoIs(thief), undefined);
    });

    test("the header carries the token, and the address does not", async () => {
        const drawbridge = new Drawbridge({ issuer: demo.issuer });
        const link = await drawbridge.openURL("/contacts", { bearer: backendBearer(demo, "alice"), carrier: "header" });
        assert.ok(!link.url.includes("token="));
        const browser = new Person(demo, "alice");
        assert.equal((await browser.get(link.url, link.headers)).status, 303);
        assert.ok(await whoIs(browser));
    });

    test("a path that the website does not list is told to the developer", async () => {
        const drawbridge = new Drawbridge({ issuer: demo.issuer });
        await assert.rejects(
            drawbridge.openURL("//evil.example", { bearer: backendBearer(demo, "alice") }),
            { code: "refused", oauth: "invalid_redirect", message: /return_paths/ });
    });

    test("sign-in by loopback, a link, the second app without a person, and the end of all of it", async () => {
        const store = memoryStore();
        const first = app({ store });
        const claims = await first.signIn();
        assert.equal((await first.person()).sub, claims.sub);
        const browser = new Person(demo, "alice");
        assert.equal((await browser.get((await first.openURL("/contacts")).url)).status, 303);
        assert.equal(await whoIs(browser), claims.sub);
        const second = app({ store, clientId: "demo-app-b" });
        const silent = await second.signInSilently();
        assert.equal(silent.claims?.sub, claims.sub, String(silent.error));
        await first.signOut();
        assert.equal(await whoIs(browser), undefined);
        await assert.rejects(second.openURL("/contacts"), { code: "not_signed_in" });
        assert.equal((await second.signInSilently()).reason, "nothing_shared");
    });

    test("a web view is signed in by its cookies before its first load, and out again", async () => {
        const jar = new Map();
        const seen = [];
        const webView = {
            setCookie: (cookie) => void jar.set(cookie.name, cookie.value),
            removeCookie: ({ name }) => void jar.delete(name),
            load: async (url) => {
                const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
                seen.push((await (await fetch(new URL("/session", url), { headers: { cookie } })).json()).authenticated);
            },
        };
        const drawbridge = app({ webView });
        await drawbridge.signIn();
        await drawbridge.openWebView(`${demo.base_url}/contacts`, "demo-webview");
        assert.deepEqual(seen, [true]);
        assert.ok(jar.has("vagov_access_token"));
        await drawbridge.signOut();
        assert.equal(jar.size, 0);
    });

    test("tokens that are bound to a key are taken with its proofs", async () => {
        const drawbridge = app({ dpop: true, sharing: undefined });
        const claims = await drawbridge.signIn();
        const browser = new Person(demo, "alice");
        assert.equal((await browser.get((await drawbridge.openURL("/contacts")).url)).status, 303);
        assert.equal(await whoIs(browser), claims.sub);
        await drawbridge.signOut();
    });

    test("a sign-out waits for a renewal that is under way, whose tokens would stay behind", async () => {
        const store = memoryStore();
        const seen = [];
        let isUnderWay;
        const underWay = new Promise((done) => { isUnderWay = done; });
        const watched = async (address, init) => {
            const kind = /grant_type=refresh_token|token_type_hint/.exec(String(init.body))?.[0];
            if (kind) seen.push(`${kind} sent`);
            if (kind) isUnderWay();
            const answer = await fetch(address, init);
            if (kind) seen.push(`${kind} answered`);
            return answer;
        };
        const drawbridge = app({ store, sharing: undefined, fetch: watched });
        await drawbridge.signIn();
        const item = `drawbridge:demo-app:${demo.issuer}`;
        const kept = JSON.parse(await store.get(item));
        await store.set(item, JSON.stringify({ ...kept, expires_at: Date.now() + 10000 }));
        await Promise.all([drawbridge.accessToken(), underWay.then(() => drawbridge.signOut())]);
        assert.deepEqual(seen, [
            "grant_type=refresh_token sent", "grant_type=refresh_token answered", "token_type_hint sent",
            "token_type_hint answered",
        ]);
        assert.equal(await store.get(item), null);
    });

    test("two processes that renew at once ask once, by the lock of the file", async () => {
        const path = join(folder, "secrets.json");
        const asked = [];
        const counted = (address, init) => {
            if (String(init.body).includes("grant_type=refresh_token")) asked.push(1);
            return fetch(address, init);
        };
        const apps = [1, 2].map(() => app({ store: fileStore(path), fetch: counted }));
        await apps[0].signIn();
        assert.equal(statSync(path).mode & 0o777, 0o600);
        // Ten seconds before its end a token is renewed.
        const item = `drawbridge:demo-app:${demo.issuer}`;
        const kept = JSON.parse(await fileStore(path).get(item));
        await fileStore(path).set(item, JSON.stringify({ ...kept, expires_at: Date.now() + 10000 }));
        const renewed = await Promise.all(apps.map((one) => one.accessToken().catch((error) => error.code)));
        assert.equal(asked.length, 1);
        assert.ok(renewed[0] === renewed[1] && renewed[0].startsWith("eyJ"), "both have the one new token");
        await apps[0].signOut();
    });
});
