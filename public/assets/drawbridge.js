// Session state for a website's own pages: <script src="/assets/drawbridge.js" defer></script>
//
//     drawbridge.session()            the last known state, or null before the first answer
//     await drawbridge.refresh()      asks GET /session now
//     await drawbridge.logout()       ends the session; other tabs hear of it
//     drawbridge.addEventListener("change",     (event) => event.detail)   state after it changed
//     drawbridge.addEventListener("signed-out", (event) => event.detail)   the session is gone, here or elsewhere
//
// It never sees the session's secret: that cookie is HttpOnly. When to ask again it learns from the readable cookie
// `drawbridge_info`, which holds two times and no identity. It asks when the page becomes visible and when the earlier
// of the two times has come, so an idle tab costs nothing.
"use strict";

(() => {
    const signedOut = Object.freeze({ authenticated: false });
    const events = new EventTarget();
    const channel = "BroadcastChannel" in self ? new BroadcastChannel("drawbridge") : null;
    let state = null;
    let timer = 0;
    let asking = null;

    // Unix seconds of the earlier end, or null when nobody is signed in as far as the cookie says.
    const nextEnd = () => {
        const pair = document.cookie.split("; ").find((entry) => entry.startsWith("drawbridge_info="));
        if (!pair) return null;
        try {
            const info = JSON.parse(decodeURIComponent(pair.slice("drawbridge_info=".length)));
            const end = Math.min(info.expires_at, info.idle_expires_at);
            return Number.isFinite(end) ? end : null;
        } catch {
            return null;
        }
    };

    const schedule = () => {
        clearTimeout(timer);
        const end = nextEnd();
        if (end === null) return;
        // One second late rather than early; setTimeout cannot wait longer than 2^31 ms.
        const wait = Math.min(Math.max(end * 1000 - Date.now() + 1000, 1000), 2147483647);
        timer = setTimeout(refresh, wait);
    };

    const tell = (name, detail) => events.dispatchEvent(new CustomEvent(name, { detail }));

    const adopt = (next) => {
        const before = state;
        state = Object.freeze(next);
        schedule();
        if (before === null || before.authenticated !== state.authenticated || before.sub !== state.sub) {
            tell("change", state);
        }
        if (before?.authenticated && !state.authenticated) tell("signed-out", state);
    };

    const refresh = () => {
        asking ??= fetch("/session", { credentials: "same-origin", cache: "no-store" })
            .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error("session state unavailable"))))
            .then(adopt)
            .catch(() => {
                // Not knowing is not being signed out: keep the state and ask again in a while.
                clearTimeout(timer);
                timer = setTimeout(refresh, 30000);
            })
            .finally(() => {
                asking = null;
            });
        return asking.then(() => state);
    };

    // Tabs without BroadcastChannel hear of it through localStorage; either may be switched off by the user.
    const announce = () => {
        channel?.postMessage("signed-out");
        try {
            localStorage.setItem("drawbridge.signed-out", String(Date.now()));
        } catch {
            // Storage is off: the other tabs ask when they become visible.
        }
    };

    const logout = async () => {
        const answer = await fetch("/session/logout", { method: "POST", credentials: "same-origin" });
        if (!answer.ok) throw new Error(`sign-out failed with status ${answer.status}`);
        announce();
        adopt(signedOut);
    };

    channel?.addEventListener("message", refresh);
    addEventListener("storage", (event) => {
        if (event.key === "drawbridge.signed-out") refresh();
    });
    document.addEventListener("visibilitychange", () => {
        if (document.visibilityState === "visible") refresh();
    });
    addEventListener("pageshow", (event) => {
        if (event.persisted) refresh();
    });

    self.drawbridge = Object.freeze({
        session: () => state,
        refresh,
        logout,
        addEventListener: events.addEventListener.bind(events),
        removeEventListener: events.removeEventListener.bind(events),
    });

    refresh();
})();
