// The page that stands between a link and a signed-in browser. Without this script its button works just as well.
//
// 1. A token in the fragment (#token=…&redirect=…&code_verifier=…) never reached the server: it is moved into the
//    form, and out of the address bar, so that neither history nor a screenshot keeps it.
// 2. The form submits itself only when the server says so, and only on a page that a person sees: never in a
//    prerendered page or a background tab, which nobody asked to be signed in.
"use strict";

(() => {
    const form = document.getElementById("confirm");
    if (!form) return;
    const button = form.querySelector("button");
    const carried = ["token", "redirect", "code_verifier"];

    // A second field of one name beside the one from the query is kept on purpose: the server refuses both.
    const add = (name, value) => {
        const field = document.createElement("input");
        field.type = "hidden";
        field.name = name;
        field.value = value;
        form.append(field);
    };

    const takeFragment = () => {
        const fragment = new URLSearchParams(location.hash.slice(1));
        if (!fragment.has("token")) return;
        history.replaceState(null, "", location.pathname + location.search);
        for (const name of carried) {
            for (const value of fragment.getAll(name)) add(name, value);
        }
    };

    const hasToken = () => form.querySelector('input[name="token"]') !== null;

    // A page that came without a token is called by what it shows without this script.
    const asked = document.title;
    const cameComplete = hasToken();

    const ready = () => {
        const complete = hasToken();
        const incomplete = document.getElementById("incomplete");
        const question = document.getElementById("question");
        incomplete.hidden = complete;
        question.hidden = !complete;
        const shown = complete ? question : incomplete;
        const site = asked.split(" · ").at(-1);
        document.title = cameComplete ? asked : `${shown.querySelector("h1").textContent} · ${site}`;
        if (!complete) return;
        button.disabled = false;
        if (form.dataset.submitsItself !== undefined) whenSeen(submit);
    };

    let submitted = false;
    const submit = () => {
        if (submitted) return;
        submitted = true;
        form.elements.namedItem("auto").value = "1";
        form.submit();
    };

    // A click is a person's own act; a second one while the first is under way would be a needless repeat.
    form.addEventListener("submit", (event) => {
        if (submitted) event.preventDefault();
        submitted = true;
    });
    addEventListener("pageshow", (event) => {
        if (event.persisted) submitted = false;
    });

    const whenSeen = (act) => {
        const attempt = () => {
            if (document.prerendering || document.visibilityState !== "visible") return;
            document.removeEventListener("visibilitychange", attempt);
            document.removeEventListener("prerenderingchange", attempt);
            act();
        };
        document.addEventListener("visibilitychange", attempt);
        document.addEventListener("prerenderingchange", attempt);
        attempt();
    };

    takeFragment();
    ready();
    // The same page, given another fragment: browsers do not load it anew.
    addEventListener("hashchange", () => {
        if (hasToken()) return;
        takeFragment();
        ready();
    });
})();
