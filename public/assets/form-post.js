// The page that carries an answer to a website in a form. Without this script its button works just as well.
"use strict";

(() => {
    const form = document.getElementById("form-post");
    // Whoever comes back to this page did not ask to be sent on again, and the answer is good once.
    const [visit] = performance.getEntriesByType("navigation");
    if (!form || visit?.type === "back_forward") return;
    const send = () => form.submit();
    if (document.prerendering) {
        document.addEventListener("prerenderingchange", send, { once: true });
    } else {
        send();
    }
})();
