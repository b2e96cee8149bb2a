// Built from clients/js/page.mjs by public/page-script.sh: edit that, then run `make assets`.
"use strict";

(() => {
// Session state for a website's own pages. Drawbridge serves it at /assets/drawbridge.js, as a classic script:
// <script src="/assets/drawbridge.js" defer></script> makes `drawbridge` of it; a bundle imports it from here.
//
//     drawbridge.session()            the last known state, or null before the first answer
//     drawbridge.hasSession()         whether somebody is signed in, as far as is known without asking
//     await drawbridge.refresh()      asks GET /session now
//     await drawbridge.logout()       ends the session; other tabs hear of it
//     drawbridge.addEventListener("change",     (event) => event.detail)   state after it changed
//     drawbridge.addEventListener("signed-out", (event) => event.detail)   the session is gone, here or elsewhere
//
// It never sees the session's secret: that cookie is HttpOnly. When to ask again it learns from the readable cookie,
// which holds two times and no identity: `drawbridge_info`, or `<prefix>info_token` beside the cookies of a web view,
// which it also renews before they run out. It asks when the page becomes visible, when one of the times has come, and
// at the first touch or key after a while, so an idle tab costs nothing.
//
// Scripts of a website that go by a flag in localStorage get it: with `data-session-flag="hasSession"` in the script's
// tag, or `watchSession({ flag: "hasSession" })`, that key is "true" while somebody is signed in, and else not there.

/** Watches the session of this page's origin; once for a page. */
const watchSession = ({ flag } = {}) => {
    const signedOut = Object.freeze({ authenticated: false });
    // Milliseconds: a used page asks at most that often, and cookies are renewed that long before their end.
    const pause = 30000;
    const events = new EventTarget();
    const channel = "BroadcastChannel" in self ? new BroadcastChannel("drawbridge") : null;
    let state = null;
    let timer = 0;
    let asking = null;
    let askedAt = -Infinity;
    let renewedAt = -Infinity;
    let signOuts = 0;
    let heard = null;

    // What the readable cookies say, each with the end of its unused session and when something is due before that.
    const known = () => {
        const found = [];
        for (const pair of document.cookie.split("; ")) {
            const at = pair.indexOf("=");
            const name = pair.slice(0, at);
            if (name !== "drawbridge_info" && !name.endsWith("info_token")) continue;
            try {
                const info = JSON.parse(decodeURIComponent(pair.slice(at + 1)));
                const end = name === "drawbridge_info"
                    ? 1000 * Math.min(info.expires_at, info.idle_expires_at)
                    : Date.parse(info.refresh_token_expiration);
                const due = name === "drawbridge_info" ? end : Date.parse(info.access_token_expiration) - pause;
                if (Number.isFinite(end) && Number.isFinite(due)) found.push({ end, due: Math.min(due, end) });
            } catch {
                // Somebody else's cookie of a similar name.
            }
        }
        return found;
    };

    const hasSession = () => (state === null ? known().some(({ end }) => Date.now() < end) : state.authenticated);

    const schedule = () => {
        clearTimeout(timer);
        const next = Math.min(...known().map(({ due }) => due));
        if (!Number.isFinite(next)) return;
        // One second late rather than early. What was due before and is not done yet is no matter of seconds: this
        // device's clock may be wrong. setTimeout cannot wait longer than 2^31 ms.
        const wait = next - Date.now() + 1000;
        timer = setTimeout(refresh, wait < 1000 ? pause : Math.min(wait, 2147483647));
    };

    const tell = (name, detail) => events.dispatchEvent(new CustomEvent(name, { detail }));

    // A flag outlives a session that ends while no page is open, so it is as good as what is known now.
    const mark = () => {
        if (!flag) return;
        try {
            if (hasSession()) localStorage.setItem(flag, "true");
            else localStorage.removeItem(flag);
        } catch {
            // Storage is off: nothing goes by the flag either.
        }
    };

    const adopt = (next) => {
        const before = state;
        state = Object.freeze(next);
        schedule();
        mark();
        if (before === null || before.authenticated !== state.authenticated || before.sub !== state.sub) {
            tell("change", state);
        }
        if (before?.authenticated && !state.authenticated) tell("signed-out", state);
    };

    const ask = async () => {
        const answer = await fetch("/session", { credentials: "same-origin", cache: "no-store" });
        if (!answer.ok) throw new Error("session state unavailable");
        return answer.json();
    };

    const isDue = ({ authenticated, anti_csrf_token: token }) => Boolean(token)
        && (!authenticated || known().some(({ due, end }) => due < end && due <= Date.now()));

    // A browser sends the refresh cookie of a web view to one of these only: to the second where its app fetched it at
    // the VA's sign-in paths. Nothing that a page sees tells which, so every page tries first what renewed last.
    const renewalPaths = ["/session/refresh", "/v0/sign_in/refresh"];
    let renewalPath = renewalPaths[0];

    const pathsInTurn = () => {
        try {
            renewalPath = localStorage.getItem("drawbridge.renewal-path") ?? renewalPath;
        } catch {
            // Storage is off: each page finds out for itself.
        }
        return [...renewalPaths].sort((one, other) => (other === renewalPath) - (one === renewalPath));
    };

    const keepPath = (path) => {
        if (path === renewalPath) return;
        renewalPath = path;
        try {
            localStorage.setItem("drawbridge.renewal-path", path);
        } catch {
            // Storage is off: this page knows.
        }
    };

    // The cookies of a web view live shorter than its session. One tab renews them for all: each value is used once.
    const renewed = async (session) => {
        if (!isDue(session) || performance.now() - renewedAt < pause) return session;
        renewedAt = performance.now();
        const renew = async () => {
            let latest = await ask();
            for (const path of pathsInTurn()) {
                // Another tab may have done it while this one waited, and a session that is over has no value any more.
                if (!isDue(latest)) break;
                const value = latest.anti_csrf_token;
                const answer = await fetch(path, {
                    method: "POST", credentials: "same-origin", headers: { "X-CSRF-Token": value },
                    // A website that has this path for itself may lead elsewhere; the value stays here.
                    redirect: "manual",
                });
                latest = await ask();
                // Renewed cookies have another value, however wrong this device's clock is. A status alone says little:
                // some websites answer 200 at every path.
                if (answer.ok && latest.anti_csrf_token !== value) {
                    keepPath(path);
                    break;
                }
            }
            return latest;
        };
        return "locks" in navigator ? navigator.locks.request("drawbridge.renewal", renew) : renew();
    };

    // An answer that a sign-out has overtaken, here or in another tab, may be of the time before it: ask once more.
    const current = async () => {
        const before = signOuts;
        const session = await renewed(await ask());
        return before === signOuts ? session : current();
    };

    const refresh = () => {
        askedAt = performance.now();
        asking ??= current()
            .then(adopt)
            .catch(() => {
                // Not knowing is not being signed out: keep the state and ask again in a while.
                clearTimeout(timer);
                timer = setTimeout(refresh, pause);
            })
            .finally(() => {
                asking = null;
            });
        return asking.then(() => state);
    };

    // Tabs without BroadcastChannel hear of it through localStorage; either may be switched off by the user. Most hear it by
    // both, so each sign-out has a word of its own.
    const announce = () => {
        const word = `${Date.now()} ${Math.random()}`;
        channel?.postMessage(word);
        try {
            localStorage.setItem("drawbridge.signed-out", word);
        } catch {
            // Storage is off: the other tabs ask when they become visible.
        }
    };

    const logout = async () => {
        const answer = await fetch("/session/logout", { method: "POST", credentials: "same-origin" });
        if (!answer.ok) throw new Error(`sign-out failed with status ${answer.status}`);
        signOuts += 1;
        announce();
        adopt(signedOut);
    };

    const hear = (word) => {
        if (word === heard) return;
        heard = word;
        signOuts += 1;
        refresh();
    };

    channel?.addEventListener("message", (event) => hear(event.data));
    addEventListener("storage", (event) => {
        if (event.key === "drawbridge.signed-out") hear(event.newValue);
    });
    document.addEventListener("visibilitychange", () => {
        if (document.visibilityState === "visible") refresh();
    });
    addEventListener("pageshow", (event) => {
        if (event.persisted) refresh();
    });
    // A page that is in use keeps its session alive anyway; whoever uses it learns soon that it was ended elsewhere.
    for (const name of ["pointerdown", "keydown"]) {
        addEventListener(name, () => {
            if (state?.authenticated && performance.now() - askedAt > pause) refresh();
        }, { passive: true });
    }

    mark();
    refresh();
    return Object.freeze({
        session: () => state,
        hasSession,
        refresh,
        logout,
        addEventListener: events.addEventListener.bind(events),
        removeEventListener: events.removeEventListener.bind(events),
    });
};

self.drawbridge = watchSession({ flag: document.currentScript?.dataset.sessionFlag });
})();
