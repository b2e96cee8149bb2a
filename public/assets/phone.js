// The page that waits for a phone. Without this script it looks again every three seconds by itself.
//
// It asks for news with the state that it shows; the answer comes when that has changed, or after a while. Nothing but
// states is ever in an answer. It says which page it is: the cookie is that of the one that was opened last. A site's own
// template may not know which; nothing is said then.
"use strict";

(() => {
    const page = document.getElementById("phone");
    if (!page) return;
    const tab = page.dataset.tab ? `&tab=${encodeURIComponent(page.dataset.tab)}` : "";
    const open = ["created", "scanned", "approved"];
    let state = page.dataset.state;
    let endsAt = Date.now() + Number(page.dataset.left) * 1000;

    const show = () => {
        for (const part of page.querySelectorAll("[data-when]")) {
            part.hidden = !part.dataset.when.split(" ").includes(state);
        }
    };

    const left = document.getElementById("left");
    const count = () => {
        const seconds = Math.max(0, Math.ceil((endsAt - Date.now()) / 1000));
        left.textContent = left.dataset.text.replace("{seconds}", String(seconds));
    };

    // What was wrong with digits that were typed before is not said of what comes after.
    const forgive = () => {
        const notice = document.getElementById("notice");
        if (notice) notice.hidden = true;
        const code = document.getElementById("code");
        code.removeAttribute("aria-invalid");
        code.removeAttribute("aria-describedby");
        const start = document.title.indexOf(page.querySelector("h1").textContent);
        if (start > 0) document.title = document.title.slice(start);
    };

    const take = (news) => {
        endsAt = Date.now() + news.left * 1000;
        if (news.state === state) return;
        const couldType = state === "scanned" || state === "approved";
        state = news.state;
        forgive();
        show();
        // A reader of the screen hears it; a keyboard's user may type at once.
        const words = document.getElementById("news");
        words.textContent = words.dataset[state] ?? "";
        if (state !== "created" && open.includes(state)) {
            if (!couldType) document.getElementById("code").focus();
        } else if (state !== "created") {
            document.getElementById("again").focus();
        }
    };

    const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const trouble = document.getElementById("trouble");

    // The first question is asked at once: a browser of which nothing is known then has not kept the page's cookie.
    let isKnown = false;
    const wait = async () => {
        while (open.includes(state)) {
            let seconds;
            try {
                const answer = await fetch(`/signin/phone/status?seen=${state}${tab}`, {
                    credentials: "same-origin", cache: "no-store",
                });
                if (answer.ok) {
                    isKnown = true;
                    take(await answer.json());
                } else if (answer.status === 404 && !isKnown) {
                    state = "none";
                    show();
                    document.getElementById("no-cookies").hidden = false;
                } else if (answer.status === 404) {
                    take({ state: "expired", left: 0 });
                }
                // A server that cannot keep this page waiting says when to ask again.
                seconds = Math.max(1, Number(answer.headers.get("Retry-After")) || (answer.ok ? 1 : 3));
                trouble.hidden = answer.ok || answer.status === 404 || answer.status === 429;
            } catch {
                trouble.hidden = false;
                seconds = 3;
            }
            // Nobody answers any more, and its time is over.
            if (open.includes(state) && Date.now() > endsAt + 5000) take({ state: "expired", left: 0 });
            await pause(seconds);
        }
    };

    show();
    count();
    setInterval(count, 1000);
    wait();
})();
