// The browser that comes back to loopback, on a machine that lacks an address family.
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
