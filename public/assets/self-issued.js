// The page that a phone's answer comes back to. The answer is in the fragment, which no server has seen: it is taken out
// of the address at once, so that neither history nor a screenshot keeps it, and posted to this origin alone.
"use strict";

(() => {
    const answer = new URLSearchParams(location.search).has("error") ? location.search.slice(1) : location.hash.slice(1);
    history.replaceState(null, "", location.pathname);

    // Without a script nothing is being checked, so the page does not say so itself.
    const working = document.getElementById("working");
    working.hidden = false;

    // Sentences are in the page; what came from outside is text and nothing else.
    const fail = (name, code) => {
        working.hidden = true;
        // Nobody is being signed in any more. A site's own template may not know it yet.
        const title = document.getElementById("title");
        if (title) {
            document.title = title.dataset.failed + document.title.slice(title.textContent.length);
            title.textContent = title.dataset.failed;
        }
        (document.getElementById(name) ?? document.getElementById("failed")).hidden = false;
        if (code) {
            document.getElementById("code").textContent = code;
            document.getElementById("code-line").hidden = false;
        }
        const failure = document.getElementById("failure");
        failure.hidden = false;
        failure.focus();
    };

    const post = async () => {
        const response = await fetch("/self-issued/response", {
            method: "POST",
            credentials: "same-origin",
            redirect: "error",
            headers: { "Content-Type": "application/x-www-form-urlencoded" },
            body: answer,
        });
        const body = await response.json();
        if (response.ok && typeof body.location === "string") {
            location.replace(body.location);
            return;
        }
        if (body.error === "rate_limited") {
            const seconds = Number(response.headers.get("Retry-After")) || 60;
            const minutes = String(Math.ceil(seconds / 60));
            const words = document.getElementById("rate_limited");
            const wait = seconds < 60 ? words.dataset.seconds.replace("{count}", String(seconds))
                : words.dataset.minutes.replace("{count}", minutes);
            words.textContent = words.textContent.replace("{wait}", wait).replace("{minutes}", minutes);
        }
        const said = new URLSearchParams(answer).get("error");
        const isDeclined = body.error === "op_error" && (said === "access_denied" || said === "user_cancelled");
        fail(isDeclined ? "declined" : String(body.error), isDeclined ? undefined : String(body.error));
    };

    if (answer === "") {
        fail("state_unknown");
    } else {
        post().catch(() => fail("failed"));
    }
})();
