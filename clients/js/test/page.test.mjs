// The script for websites, in a page with nothing but what it takes of a browser: sign-outs that overtake a question.
import assert from "node:assert/strict";
import { test } from "node:test";
import { watchSession } from "../page.mjs";

/** A page whose answers of `GET /session` come when the test says so. */
const page = () => {
    const listeners = new EventTarget();
    const asked = [];
    const said = [];
    let channel = null;
    // Node 18 has none among its globals.
    globalThis.CustomEvent ??= class extends Event {
        constructor(name, { detail }) {
            super(name);
            this.detail = detail;
        }
    };
    Object.defineProperty(globalThis, "localStorage", {
        value: { setItem: (_, word) => said.push(word) }, configurable: true,
    });
    Object.assign(globalThis, {
        self: globalThis,
        addEventListener: listeners.addEventListener.bind(listeners),
        document: Object.assign(new EventTarget(), { cookie: "", visibilityState: "visible" }),
        BroadcastChannel: class extends EventTarget {
            constructor() {
                super();
                channel = this;
            }

            postMessage(word) {
                said.push(word);
            }
        },
        fetch: (path) => (path === "/session/logout" ? Promise.resolve(Response.json({}))
            : new Promise((done) => asked.push((session) => done(Response.json(session))))),
    });
    return {
        asked,
        said,
        session: watchSession(),
        hearOfSignOut: {
            BroadcastChannel: (data) => channel.dispatchEvent(Object.assign(new Event("message"), { data })),
            localStorage: (newValue) => listeners.dispatchEvent(
                Object.assign(new Event("storage"), { key: "drawbridge.signed-out", newValue })),
        },
    };
};

const alice = { authenticated: true, sub: "alice" };
const nobody = { authenticated: false };
const turn = () => new Promise((done) => setTimeout(done, 20));

test("an answer from before the sign-out brings nobody back", async () => {
    const { asked, session } = page();
    const told = [];
    session.addEventListener("change", ({ detail }) => told.push(detail.authenticated));
    await session.logout();
    assert.equal(session.hasSession(), false);
    asked[0](alice);
    await turn();
    assert.equal(session.hasSession(), false);
    assert.equal(asked.length, 2);
    asked[1](nobody);
    await session.refresh();
    assert.deepEqual([session.session(), told], [nobody, [false]]);
});

for (const way of ["BroadcastChannel", "localStorage"]) {
    test(`nor does one from before another tab's word by ${way}`, async () => {
        const { asked, session, hearOfSignOut } = page();
        hearOfSignOut[way]("one");
        asked[0](alice);
        await turn();
        assert.equal(session.session(), null);
        asked[1](nobody);
        await session.refresh();
        assert.deepEqual(session.session(), nobody);
    });
}

test("a sign-out is told both ways in one word, and asked about once where both are heard", async () => {
    const { asked, said, session, hearOfSignOut } = page();
    asked[0](alice);
    await session.refresh();
    for (const word of ["one", "two"]) {
        const before = asked.length;
        hearOfSignOut.BroadcastChannel(word);
        hearOfSignOut.localStorage(word);
        asked[before](nobody);
        await turn();
        assert.deepEqual([session.session(), asked.length], [nobody, before + 1], word);
    }
    await session.logout();
    await session.logout();
    assert.equal(said.length, 4);
    assert.deepEqual([said[0] === said[1], said[2] === said[3], said[0] === said[2]], [true, true, false]);
});

test("what is asked after the sign-out counts, also a new sign-in", async () => {
    const { asked, session } = page();
    asked[0](alice);
    await session.refresh();
    await session.logout();
    const refreshed = session.refresh();
    asked[1](alice);
    assert.deepEqual(await refreshed, alice);
});

test("of the tabs whose cookies run out one renews them", async () => {
    page();
    const cookie = (seconds) => {
        const times = { access_token_expiration: seconds, refresh_token_expiration: 3600 };
        const info = Object.fromEntries(Object.entries(times).map(
            ([name, after]) => [name, new Date(Date.now() + 1000 * after).toISOString()]));
        return `web_info_token=${encodeURIComponent(JSON.stringify(info))}`;
    };
    let last = Promise.resolve();
    const request = (_, work) => (last = last.then(work));
    Object.defineProperty(globalThis, "navigator", { value: { locks: { request } }, configurable: true });
    // Nobody is signed in by cookies that have run out, until they are renewed.
    for (const before of [alice, nobody]) {
        let renewals = 0;
        globalThis.fetch = async (path) => {
            if (path === "/session/refresh") {
                renewals += 1;
                document.cookie = cookie(600);
            }
            return Response.json({ ...(renewals > 0 ? alice : before), anti_csrf_token: "t" });
        };
        document.cookie = cookie(10);
        const tabs = [watchSession(), watchSession(), watchSession()];
        try {
            for (const state of await Promise.all(tabs.map((tab) => tab.refresh()))) assert.equal(state.sub, "alice");
            assert.equal(renewals, 1);
        } finally {
            // No timer outlives the test.
            document.cookie = "";
            await Promise.all(tabs.map((tab) => tab.refresh()));
        }
    }
});
