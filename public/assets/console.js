// The console's few moving parts. Every page works without them.
"use strict";

// Times are those of the log, in UTC; the reader's own are one look away.
const local = (element) => {
    const at = new Date(element.dateTime);
    if (!Number.isNaN(at.getTime())) element.title = at.toLocaleString(document.documentElement.lang, { timeZoneName: "short" });
};
document.querySelectorAll("time[datetime]").forEach(local);

// On a phone the section that one is in, and no wall of filters ahead of what they find.
document.querySelector(".sections [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
const finder = document.querySelector("details.finder");
const isRefused = document.getElementById("problem") !== null;
if (finder && !isRefused && matchMedia("(max-width: 40rem)").matches) finder.open = false;

for (const button of document.querySelectorAll("button[data-copies]")) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).innerText);
        button.textContent = button.dataset.done;
    });
}

// How far a verification of the log is. Nothing else of the page changes under whoever reads it (WCAG 2.2, 2.2.1).
const progress = () => document.getElementById("progress");
if (progress()) {
    const look = async () => {
        try {
            const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
            const page = new DOMParser().parseFromString(await answer.text(), "text/html");
            const next = page.getElementById("progress");
            if (answer.ok && next === null) return location.reload();
            if (answer.ok) progress().replaceWith(next);
        } catch {
            // Away for a moment: asked again.
        }
        setTimeout(look, 5000);
    };
    setTimeout(look, 5000);
}

// The live feed: rows come in at the top, the newest first.
const state = document.getElementById("live-state");
const body = document.querySelector("table.events tbody");
if (state?.dataset.stream && body && window.EventSource) {
    const limit = 200;
    // While somebody reads, rows wait.
    const pause = document.getElementById("live-pause");
    let waiting = null;
    pause.hidden = false;
    pause.addEventListener("click", () => {
        const held = waiting;
        waiting = held === null ? [] : null;
        pause.textContent = waiting === null ? pause.dataset.pause : pause.dataset.goOn;
        pause.setAttribute("aria-pressed", String(waiting !== null));
        for (const event of held ?? []) add(event);
    });
    const cell = (row, ...nodes) => row.insertCell().append(...nodes.filter((node) => node !== null && node !== undefined));
    const link = (path, content) => {
        const anchor = document.createElement("a");
        anchor.href = path;
        anchor.append(content);
        return anchor;
    };
    const code = (text) => {
        const element = document.createElement("code");
        element.textContent = text;
        return element;
    };
    const badge = (text) => {
        const element = document.createElement("span");
        element.className = "badge bad";
        element.textContent = text;
        return element;
    };
    const actorOf = (event) => {
        try {
            return JSON.parse(event.detail).actor;
        } catch {
            return null;
        }
    };
    const search = (name, value) => `/admin/events?${name}=${encodeURIComponent(value)}`;

    const add = (event) => {
        // What cannot be read has a place and a field, and nothing else.
        if (event.damaged) {
            event = { at: "", ...event, type: "damaged", outcome: "failure", reason: state.dataset.damaged.replace("{field}", event.damaged) };
        }
        const row = body.insertRow(0);
        row.className = event.outcome === "failure" ? "failed fresh" : "fresh";
        const time = document.createElement("time");
        time.dateTime = event.at;
        time.textContent = event.at.slice(0, 19).replace("T", " ") || state.dataset.noTime;
        local(time);
        cell(row, link(`/admin/events/${encodeURIComponent(event.id)}`, time));
        cell(row, code(event.type), event.outcome === "failure" ? " " : null,
            event.outcome === "failure" ? badge(state.dataset.failed) : null);
        // Who administered; whoever did something about themselves stands beside it as the user.
        const actor = actorOf(event);
        cell(row, event.reason, actor && actor !== `account:${event.sub}` ? ` · ${actor}` : null);
        cell(row, event.sub ? link(`/admin/users/${encodeURIComponent(event.sub)}`, event.sub) : null);
        cell(row, event.client_id, event.target_client_id ? ` → ${event.target_client_id}` : null);
        cell(row, event.ip ? link(search("ip", event.ip), event.ip) : null);
        while (body.rows.length > limit) body.deleteRow(-1);
    };

    const source = new EventSource(state.dataset.stream);
    source.onopen = () => { state.textContent = state.dataset.connected; };
    source.onerror = () => {
        state.textContent = source.readyState === EventSource.CLOSED
            ? state.dataset.ended : state.dataset.connecting;
    };
    source.onmessage = (message) => {
        const event = JSON.parse(message.data);
        if (waiting === null) return add(event);
        // No more than there is room for: what is older would fall off the end at once.
        waiting.push(event);
        if (waiting.length > limit) waiting.shift();
        pause.textContent = `${pause.dataset.goOn} (${waiting.length})`;
    };
}
