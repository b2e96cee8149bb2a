// Asks every few seconds whether a phone has answered on another device, and then shows who; once the code is too old, it
// goes. Without this script the button does the same.
"use strict";

(() => {
    const form = document.getElementById("wait");
    if (!form) return;
    const state = encodeURIComponent(form.elements.namedItem("state").value);
    let timer;
    const ask = async () => {
        if (document.visibilityState === "visible") {
            const response = await fetch(`/self-issued/status?state=${state}`, { credentials: "same-origin" });
            const body = response.ok ? await response.json() : {};
            if (body.state === "answered") {
                clearInterval(timer);
                form.submit();
            }
            if (body.state === "over") {
                clearInterval(timer);
                document.getElementById("for-others").hidden = true;
                const over = document.getElementById("code-over");
                over.textContent = over.dataset.text;
            }
        }
    };
    timer = setInterval(() => ask().catch(() => undefined), 3000);
})();
