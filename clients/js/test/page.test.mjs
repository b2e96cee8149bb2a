// The script for websites, in a page with nothing but what it takes of a browser: sign-outs that overtake a question,
// and where the cookies of a web view are renewed.
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

/** The readable cookie of a web view whose access token ends in so many seconds. */
const readable = (seconds) => {
    const times = { access_token_expiration: seconds, refresh_token_expiration: 3600 };
    const info = Object.fromEntries(Object.entries(times).map(
        ([name, after]) => [name, new Date(Date.now() + 1000 * after).toISOString()]));
    return `web_info_token=${encodeURIComponent(JSON.stringify(info))}`;
};

/** Lets one tab after another in, as a browser does where tabs share a lock. */
const shareLocks = () => {
    let last = Promise.resolve();
    const request = (_, work) => (last = last.then(work));
    Object.defineProperty(globalThis, "navigator", { value: { locks: { request } }, configurable: true });
};

test("of the tabs whose cookies run out one renews them", async () => {
    page();
    shareLocks();
    // Nobody is signed in by cookies that have run out, until they are renewed.
    for (const before of [alice, nobody]) {
        let renewals = 0;
        globalThis.fetch = async (path) => {
            if (path === "/session/refresh") {
                renewals += 1;
                document.cookie = readable(600);
            }
            return Response.json({ ...(renewals > 0 ? alice : before), anti_csrf_token: `value ${renewals}` });
        };
        document.cookie = readable(10);
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

const usual = "/session/refresh";
const ofTheVA = "/v0/sign_in/refresh";

/**
 * A browser with the cookies of a web view, whose refresh cookie goes to one path alone.
 * `answers` are what is answered at the others: a status each, 404 where none is given.
 */
const webView = (takes, { answers = {}, kept = {}, hasStorage = true } = {}) => {
    page();
    shareLocks();
    const view = { takes, posts: [], tabs: [], renewals: 0, session: alice, kept, hasEnded: false };
    const storage = {
        getItem: (key) => kept[key] ?? null,
        setItem: (key, value) => {
            kept[key] = value;
        },
    };
    Object.defineProperty(globalThis, "localStorage", {
        get: () => {
            if (hasStorage) return storage;
            throw new Error("storage is off");
        },
        configurable: true,
    });
    const value = () => `value ${view.renewals}`;
    globalThis.fetch = async (path, init = {}) => {
        if (path === "/session") {
            return Response.json(view.hasEnded ? nobody : { ...view.session, anti_csrf_token: value() });
        }
        view.posts.push(path);
        assert.deepEqual([init.method, init.redirect, init.headers], ["POST", "manual", { "X-CSRF-Token": value() }]);
        if (path !== view.takes) return new Response("", { status: answers[path] ?? 404 });
        if (view.refusal) return view.refusal();
        view.renewals += 1;
        document.cookie = readable(600);
        return Response.json({});
    };
    /** What is posted by a page that is opened now, with cookies that are about to run out, and the state it finds. */
    view.open = async () => {
        document.cookie = readable(10);
        view.posts = [];
        const tab = watchSession();
        view.tabs.push(tab);
        return { state: await tab.refresh(), posts: view.posts };
    };
    /** No timer outlives the test. */
    view.close = async () => {
        document.cookie = "";
        view.hasEnded = true;
        await Promise.all(view.tabs.map((tab) => tab.refresh()));
    };
    return view;
};

/** A test of a web view, which is closed after it. */
const testWebView = (name, make, play) => test(name, async () => {
    const view = make();
    try {
        await play(view);
    } finally {
        await view.close();
    }
});

for (const [path, attempts] of [[usual, [usual]], [ofTheVA, [usual, ofTheVA]]]) {
    testWebView(`cookies that go to ${path} are renewed there, and at once in the pages after`, () => webView(path, {
        answers: { [usual]: 401, [ofTheVA]: 400 },
    }), async (view) => {
        // Also where the access token has run out already.
        for (const [session, posts] of [[alice, attempts], [nobody, [path]], [alice, [path]]]) {
            view.session = session;
            const opened = await view.open();
            assert.deepEqual(opened.posts, posts);
        }
        assert.equal(view.renewals, 3);
    });
}

testWebView("a page whose storage is off knows itself where it renewed last", () => webView(ofTheVA, {
    hasStorage: false, answers: { [usual]: 401 },
}), async (view) => {
    await view.open();
    const { now } = performance;
    // Half a minute later by the page's clock: it asks for no renewal before.
    performance.now = () => now.call(performance) + 31000;
    try {
        document.cookie = readable(10);
        view.posts = [];
        await view.tabs[0].refresh();
        assert.deepEqual([view.posts, view.renewals], [[ofTheVA], 2]);
    } finally {
        performance.now = now;
    }
});

testWebView("cookies of the other path, fetched since, are found again", () => webView(ofTheVA, {
    answers: { [usual]: 403, [ofTheVA]: 400 },
}), async (view) => {
    await view.open();
    view.takes = usual;
    assert.deepEqual((await view.open()).posts, [ofTheVA, usual]);
    assert.deepEqual((await view.open()).posts, [usual]);
});

testWebView("where the VA's paths are off nothing is renewed, and the page goes on asking", () => webView(null, {
    answers: { [usual]: 401 },
}), async (view) => {
    assert.deepEqual(await view.open(), { state: { ...alice, anti_csrf_token: "value 0" }, posts: [usual, ofTheVA] });
    assert.deepEqual(view.kept, {});
});

testWebView("a session that has ended meanwhile is asked for at no second path", () => webView(usual), async (view) => {
    view.refusal = () => {
        view.hasEnded = true;
        return new Response("", { status: 401 });
    };
    assert.deepEqual(await view.open(), { state: nobody, posts: [usual] });
});

testWebView("a website that answers everything with 200 is not taken for a renewal", () => webView(usual, {
    answers: { [ofTheVA]: 200 },
}), async (view) => {
    view.refusal = () => new Response("", { status: 503 });
    await view.open();
    assert.deepEqual(view.kept, {});
    view.refusal = null;
    assert.deepEqual((await view.open()).posts, [usual]);
});

testWebView("what another script wrote into the storage is no address", () => webView(usual, {
    kept: { "drawbridge.renewal-path": "https://elsewhere.example/" },
}), async (view) => {
    assert.deepEqual((await view.open()).posts, [usual]);
    assert.equal(view.renewals, 1);
});

testWebView("tabs that wait for the one that renews post nothing, wherever it is done", () => webView(ofTheVA, {
    answers: { [usual]: 401 },
}), async (view) => {
    document.cookie = readable(10);
    view.tabs.push(watchSession(), watchSession(), watchSession());
    for (const state of await Promise.all(view.tabs.map((tab) => tab.refresh()))) assert.equal(state.sub, "alice");
    assert.deepEqual(view.posts, [usual, ofTheVA]);
});
