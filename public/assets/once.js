// A form is sent once: pressed again while the first is under way, it would end with the answer to a repetition, and
// what is shown only once would never have been seen. Without this script forms work as they are.
"use strict";

const sent = new WeakSet();

// At the document, after whatever a page's own script does with its form.
document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.getAttribute("method") !== "post") return;
    if (sent.has(form)) return event.preventDefault();
    sent.add(form);
    // Whoever stopped the first, or never got an answer, may press again.
    setTimeout(() => sent.delete(form), 5000);
});

addEventListener("pageshow", (event) => {
    if (event.persisted) for (const form of document.forms) sent.delete(form);
});
