// Small comforts of pages that work without them.
"use strict";

// Times in the reader's own zone; the exact one in the title.
const two = (number) => String(number).padStart(2, "0");
for (const element of document.querySelectorAll("time[datetime]")) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    // Beside digits that run from left to right.
    const words = document.documentElement.dir === "rtl" ? "en" : document.documentElement.lang;
    const zone = at.getTimezoneOffset() === 0 ? "UTC"
        : new Intl.DateTimeFormat(words, { timeZoneName: "short" }).formatToParts(at)
            .find((part) => part.type === "timeZoneName").value;
    element.title = `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
    element.textContent = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} `
        + `${two(at.getHours())}:${two(at.getMinutes())} ${zone}`;
}

// A token in the address has come to this page's form: neither history nor a screenshot needs to keep it.
if (document.querySelector("[data-clears-address]")) history.replaceState(null, "", location.pathname);

// Where there is a page to go back to.
for (const button of document.querySelectorAll("button[data-goes-back]")) {
    if (history.length < 2) continue;
    button.hidden = false;
    button.addEventListener("click", () => history.back());
}

// A form whose answer is this page: the browser asks, and sends it with all that was typed.
for (const button of document.querySelectorAll("button[data-sends-again]")) {
    button.hidden = false;
    button.addEventListener("click", () => location.reload());
}

// Passwords that their owner wants to see while typing.
for (const line of document.querySelectorAll("[data-shows]")) {
    line.hidden = false;
    const box = line.querySelector("input");
    box.addEventListener("change", () => {
        for (const id of line.dataset.shows.split(" ")) {
            const field = document.getElementById(id);
            if (field) field.type = box.checked ? "text" : "password";
        }
    });
}

// What has to be kept elsewhere.
for (const button of document.querySelectorAll("button[data-copies]")) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
        try {
            await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).innerText);
            button.textContent = button.dataset.done;
        } catch {
            button.hidden = true;
        }
    });
}
