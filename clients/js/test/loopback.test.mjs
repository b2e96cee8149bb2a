// The browser that comes back to loopback: on a machine that lacks an address family, and when one sign-in takes another's
// place.
import assert from "node:assert/strict";
import { connect, Server } from "node:net";
import { test } from "node:test";
import { loopbackBrowser } from "../node.mjs";

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
