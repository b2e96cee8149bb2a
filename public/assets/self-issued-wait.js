// Asks every few seconds whether a phone has answered on another device, and then shows who; once the code is too old, it
// goes. Without this script the button does the same.
"use strict";

(() => {
    const form = document.getElementById("wait");
    if (!form) return;
    const state = encodeURIComponent(form.elements.namedItem("state").value);
    // Not on the page that only waits.
    const code = document.getElementById("for-others");
    // The first question is asked at once: a browser of which nothing is known then has not kept the page's cookie.
    let isKnown = false;
    let timer;

    const end = () => {
        clearInterval(timer);
        // The server's own page says what has become of the sign-in.
        if (!code) return form.submit();
        code.hidden = true;
        const over = document.getElementById("code-over");
        if (isKnown) over.textContent = over.dataset.text;
        document.getElementById("no-cookies")?.toggleAttribute("hidden", isKnown);
    };

    const ask = async () => {
        const response = await fetch(`/self-issued/status?state=${state}`, { credentials: "same-origin" });
        const body = response.ok ? await response.json() : {};
        if (body.state === "waiting") isKnown = true;
        if (body.state === "answered") {
            clearInterval(timer);
            form.submit();
        }
        if (body.state === "over") end();
    };
    const askAgain = () => ask().catch(() => undefined);

    timer = setInterval(() => {
        if (document.visibilityState === "visible") askAgain();
    }, 3000);
    askAgain();
})();
