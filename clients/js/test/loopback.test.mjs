// The browser that comes back to loopback: on a machine that lacks an address family, and when one sign-in takes another's
// place; a person who says no, a machine without a browser, and an app that gives a sign-in up.
import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Drawbridge, DrawbridgeError, LoginLink, memoryStore } from "../drawbridge.mjs";
import { crypto, loopbackBrowser, openInBrowser } from "../node.mjs";

/** Nobody can listen at these hosts while the work is done. */
const without = async (hosts, work) => {
    const { listen } = Server.prototype;
    Server.prototype.listen = function listenElsewhere(port, host, done) {
        if (!hosts.includes(host)) return listen.call(this, port, host, done);
        process.nextTick(() => this.emit("error", new Error("no such address")));
        return this;
    };
    try {
        await work();
    } finally {
        Server.prototype.listen = listen;
    }
};

test("a machine without IPv4 gets its answer over IPv6", () => without(["127.0.0.1"], async () => {
    let answered;
    const open = (address) => {
        answered = fetch(`${new URL(address).searchParams.get("redirect_uri")}?state=s1&code=c`);
    };
    const browser = loopbackBrowser({ open, patience: 10000 });
    const redirect = await browser.prepare();
    assert.match(redirect, /^http:\/\/\[::1\]:\d+\/callback$/);
    const query = new URLSearchParams({ redirect_uri: redirect, state: "s1" });
    assert.equal(await browser.open(`https://id.example.com/authorize?${query}`), `${redirect}?state=s1&code=c`);
    assert.equal((await answered).status, 200);
}));

test("a machine that lets nobody listen is told so", () => without(["127.0.0.1", "::1"], async () => {
    await assert.rejects(loopbackBrowser().prepare(), { code: "configuration", message: /listened on/ });
}));

test("a connection that the browser opened ahead ends with the answer", async () => {
    let ahead;
    const open = (address) => {
        const redirect = new URL(address).searchParams.get("redirect_uri");
        ahead = connect({ host: "127.0.0.1", port: new URL(redirect).port }, () => fetch(`${redirect}?state=s1&code=c`));
    };
    const browser = loopbackBrowser({ open, patience: 10000 });
    const query = new URLSearchParams({ redirect_uri: await browser.prepare(), state: "s1" });
    await browser.open(`https://id.example.com/authorize?${query}`);
    try {
        await new Promise((done, fail) => {
            ahead.once("close", done).once("error", done).resume();
            setTimeout(fail, 5000, new Error("it is open")).unref();
        });
    } finally {
        ahead.destroy();
    }
});

const at = (redirect, state) =>
    `https://id.example.com/authorize?${new URLSearchParams({ redirect_uri: redirect, state })}`;

test("a second sign-in ends the first, whose end leaves the second alone", async () => {
    const browser = loopbackBrowser({ open: () => {}, patience: 10000 });
    const first = browser.open(at(await browser.prepare(), "s1"));
    const isOver = assert.rejects(first, { code: "cancelled" });
    const redirect = await browser.prepare();
    const second = browser.open(at(redirect, "s2"));
    await isOver;
    assert.equal((await fetch(`${redirect}?state=s2&code=c`)).status, 200);
    assert.equal(await second, `${redirect}?state=s2&code=c`);
});

test("a sign-in whose place was taken before it was shown is not shown", async () => {
    const shown = [];
    const browser = loopbackBrowser({ open: (address) => shown.push(address), patience: 10000 });
    const [early, late] = await Promise.allSettled([browser.prepare(), browser.prepare()]);
    assert.equal(early.reason?.code, "cancelled");
    const next = await browser.prepare();
    await assert.rejects(browser.open(at(late.value, "s1")), { code: "cancelled" });
    assert.deepEqual(shown, []);
    const answer = browser.open(at(next, "s2"));
    await fetch(`${next}?state=s2`);
    assert.equal(await answer, `${next}?state=s2`);
});

test("a stranger's answer gets no page that says it worked, and a refusal gets another one than a sign-in", async () => {
    const browser = loopbackBrowser({ open: () => {}, patience: 10000 });
    const redirect = await browser.prepare();
    const answer = browser.open(at(redirect, "s1"));
    for (const query of ["state=other&code=c", "code=c", "error=access_denied", "state=other&error=access_denied"]) {
        const stranger = await fetch(`${redirect}?${query}`);
        assert.equal(stranger.status, 404, query);
        assert.match(await stranger.text(), /Nothing here/);
    }
    const refusal = await fetch(`${redirect}?state=s1&error=access_denied`);
    assert.equal(refusal.status, 200);
    assert.match(await refusal.text(), /not signed in/);
    assert.equal(await answer, `${redirect}?state=s1&error=access_denied`);
});

/** Work on a machine whose command for opening an address is in that folder, or is not there. */
const withCommands = async (work) => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-browser-"));
    const { PATH } = process.env;
    try {
        process.env.PATH = folder;
        await work(folder);
    } finally {
        process.env.PATH = PATH;
        await rm(folder, { recursive: true });
    }
};

const onLinux = { skip: process.platform !== "linux" };

test("a machine without a browser says so at once", onLinux, () => withCommands(async (folder) => {
    const opened = async () => {
        const browser = loopbackBrowser({ patience: 4000 });
        return browser.open(at(await browser.prepare(), "s1"));
    };
    await assert.rejects(opened(), { code: "configuration", message: /signInByDevice/ });
    // There is the command, and none that it could open the address with (xdg-open(1): status 3).
    await writeFile(join(folder, "xdg-open"), "#!/bin/sh\nexit 3\n");
    await chmod(join(folder, "xdg-open"), 0o755);
    await assert.rejects(opened(), { code: "configuration" });
    // It has handed the address on, and nobody answers.
    await writeFile(join(folder, "xdg-open"), "#!/bin/sh\nexit 0\n");
    await assert.rejects(opened(), { code: "timed_out" });
}));

test("a login link is handed to the system's browser as it is", onLinux, () => withCommands(async (folder) => {
    await writeFile(join(folder, "xdg-open"), "#!/bin/sh\nprintf '%s' \"$#|$1\" > \"${0%/*}/opened\"\n");
    await chmod(join(folder, "xdg-open"), 0o755);
    const address = "https://www.example.com/login-with-token?token=t&redirect=$(touch%20x);'\"";
    await openInBrowser(new LoginLink(address, {}, 0));
    assert.equal(await readFile(join(folder, "opened"), "utf8"), `1|${address}`);
}));

test("a link on a machine without a browser is configuration", onLinux, () => withCommands(async () => {
    const opened = openInBrowser(new LoginLink("https://www.example.com/x", {}, 0));
    await assert.rejects(opened, { code: "configuration", message: /no browser to open$/ });
}));

test("a link with its token in a header is none for a browser, and an address is no link", async () => {
    const link = new LoginLink("https://www.example.com/x", { "Drawbridge-Login-Token": "t" }, 0);
    await assert.rejects(openInBrowser(link), { code: "configuration", message: /carrier/ });
    await assert.rejects(openInBrowser(link.url), { code: "configuration", message: /openURL/ });
});

/** A provider that hands out one code for a device, and has the person never answer. */
const silentProvider = async (address, { body } = {}) => {
    const path = new URL(address).pathname;
    const endpoint = (name) => `http://127.0.0.1:1/${name}`;
    const answers = {
        "/.well-known/openid-configuration": {
            issuer: "http://127.0.0.1:1", code_challenge_methods_supported: ["S256"],
            authorization_endpoint: endpoint("authorize"), token_endpoint: endpoint("token"), jwks_uri: endpoint("keys"),
            device_authorization_endpoint: endpoint("device"),
        },
        "/keys": { keys: [] },
        "/device": {
            device_code: "dc", user_code: "ABCD", verification_uri: "http://127.0.0.1:1/go", expires_in: 600, interval: 60,
        },
        "/token": { error: "authorization_pending" },
    };
    assert.ok(path in answers, `${path} ${body}`);
    return new Response(JSON.stringify(answers[path]), { status: path === "/token" ? 400 : 200 });
};

const app = (more) =>
    new Drawbridge({ issuer: "http://127.0.0.1:1", clientId: "app-a", fetch: silentProvider, crypto, ...more });

/** The code with which it fails within five seconds. */
const failure = (work) => Promise.race([
    work.then(() => "done", (error) => (error instanceof DrawbridgeError ? error.code : `raw ${error}`)),
    new Promise((done) => setTimeout(done, 5000, "late").unref()),
]);

test("an app gives a sign-in up by its signal, and its port is closed", async () => {
    const stop = new AbortController();
    let shown;
    const browser = loopbackBrowser({ open: (address) => { shown = address; stop.abort(); }, patience: 20000 });
    assert.equal(await failure(app({ browser }).signIn({ signal: stop.signal })), "cancelled");
    await assert.rejects(fetch(new URL(shown).searchParams.get("redirect_uri")));
    // One that was given up before opens nothing.
    shown = undefined;
    assert.equal(await failure(app({ browser }).signIn({ signal: stop.signal })), "cancelled");
    assert.equal(shown, undefined);
    // A browser of the app's own that knows of no signal is not waited for.
    const later = new AbortController();
    const deaf = { open: () => { later.abort(); return new Promise(() => {}); } };
    const signingIn = app({ browser: deaf, redirectUri: "com.example.app:/callback" }).signIn({ signal: later.signal });
    assert.equal(await failure(signingIn), "cancelled");
});

test("an app gives a sign-in up by closing its browser", async () => {
    const browser = loopbackBrowser({ open: () => setTimeout(() => browser.close?.(), 50), patience: 20000 });
    assert.equal(await failure(app({ browser }).signIn()), "cancelled");
});

test("an app gives the wait for another device up by its signal", async () => {
    const stop = new AbortController();
    const show = () => setTimeout(() => stop.abort(), 50);
    assert.equal(await failure(app().signInByDevice(show, { signal: stop.signal })), "cancelled");
});

/** A store with a sign-in whose token is bound to a key. */
const boundSignIn = () => ({
    ...memoryStore(),
    get: async (name) => (name.endsWith(":1") ? JSON.stringify(
        { access_token: "at", subject: "alice", expires_at: Date.now() + 60000, bound: true }) : null),
});

test("what a part that the app has brought throws comes as an error of the library, without its text", async () => {
    const fails = () => { throw new TypeError("a secret"); };
    const redirectUri = "com.example.app:/callback";
    for (const work of [
        () => app({ redirectUri, browser: { open: fails } }).signIn(),
        () => app({ browser: { prepare: fails, open: fails } }).signIn(),
        () => app({ browser: loopbackBrowser({ open: fails, patience: 4000 }) }).signIn(),
        () => app().signInByDevice(fails),
        () => app().openURL("/", { bearer: fails }),
        () => app().openURL("/", { bearer: async () => fails() }),
        () => app({ dpop: { publicKey: { kty: "EC", crv: "P-256", x: "x", y: "y" }, sign: fails }, store: boundSignIn() }).openURL("/"),
        () => app({ dpop: { sign: () => new Uint8Array(64) }, store: boundSignIn() }).openURL("/"),
    ]) {
        await assert.rejects(work(), (error) => error instanceof DrawbridgeError && error.code === "configuration"
            && error.message.includes("TypeError") && !error.message.includes("secret"));
    }
});

test("a logger that fails changes nothing", async () => {
    const unheard = [];
    const hear = (reason) => unheard.push(reason);
    process.on("unhandledRejection", hear);
    try {
        const fails = () => { throw new TypeError("the disk is full"); };
        for (const logger of [fails, async () => fails()]) {
            const fetch = async () => new Response(JSON.stringify({ login_url: "http://127.0.0.1:1/in", expires_in: 60 }));
            assert.equal((await app({ fetch, logger }).openURL("/", { bearer: "t" })).url, "http://127.0.0.1:1/in");
            const away = async () => { throw new TypeError("away"); };
            assert.equal(await failure(app({ fetch: away, logger }).openURL("/", { bearer: "t" })), "unreachable");
        }
        await new Promise((done) => setTimeout(done, 20));
        assert.deepEqual(unheard, []);
    } finally {
        process.off("unhandledRejection", hear);
    }
});

test("a sign-in that fails before its browser opens leaves no port open, which would keep the app's process alive", async () => {
    const ports = () => process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
    const before = ports();
    const store = { ...memoryStore(), set: async () => { throw new Error("no space"); } };
    assert.equal(await failure(app({ browser: loopbackBrowser(), dpop: true, store }).signIn()), "secret_store");
    assert.equal(ports(), before);
    assert.equal(await failure(app({ browser: loopbackBrowser(), crypto: {} }).signIn()), "configuration");
    assert.equal(ports(), before);
});
