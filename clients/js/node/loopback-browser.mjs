// A browser whose answer comes back to this machine.

import { createServer } from "node:http";
import { DrawbridgeError } from "../drawbridge/errors.mjs";
import { openBySystem } from "./system-browser.mjs";

const page = (text) =>
    `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>${text}</title><h1>${text}</h1>`
    + "<script>history.replaceState(null,\"\",location.pathname)</script></html>";

/** Ends what listens for one sign-in's answer. */
const stop = ({ server }) => {
    server.close();
    // Browsers open connections ahead, which would keep the app's process alive; Node 18.2 and newer can close them.
    server.closeAllConnections?.();
};

const listen = (server, host) => new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(0, host, done);
});

/**
 * The system's browser, with the answer brought to a free port of 127.0.0.1, or of ::1 where there is no IPv4 (RFC 8252
 * §7.3). Register `http://127.0.0.1/callback` and `http://[::1]/callback`. `open` shows the address to the person, and may
 * be asynchronous: when it fails, so does the sign-in. `patience` is in milliseconds. One sign-in at a time: a second one
 * ends the first, which is `cancelled`, as `close()` and the `signal` of the sign-in do.
 */
export const loopbackBrowser = ({ open: show = openBySystem, patience = 300000, path = "/callback" } = {}) => {
    let latest = null;
    const end = (own) => {
        if (latest === own) latest = null;
        // One that does not listen yet sees so by itself below: closing it now, it would never say that it listens.
        if (own?.place) stop(own);
        own?.fail?.(new DrawbridgeError("cancelled"));
    };
    return {
        /** Ends the sign-in that is under way, if there is one. */
        close() {
            end(latest);
        },

        async prepare({ signal } = {}) {
            // A second sign-in takes the place of the first, which nobody looks at any longer.
            end(latest);
            const own = { server: null, place: null, state: null, deliver: null, fail: null, forget: null };
            own.server = createServer((request, response) => {
                const query = new URLSearchParams(request.url.split("?")[1]);
                // Another name in `Host` is a page that had its own name point to us (DNS rebinding); what does not carry
                // this sign-in's state is not ours to answer, and does not end it.
                const isOurs = request.method === "GET" && request.url.split("?")[0] === path
                    && request.headers.host === own.place && own.deliver && query.get("state") === own.state;
                const headers = {
                    "content-type": "text/html; charset=utf-8", "cache-control": "no-store", connection: "close",
                    "referrer-policy": "no-referrer", "x-content-type-options": "nosniff",
                };
                response.writeHead(isOurs ? 200 : 404, headers);
                // Once the page is sent: no connection outlives the answer.
                if (isOurs) response.once("close", () => own.deliver?.(`http://${own.place}${request.url}`));
                const ending = query.has("error") ? "You are not signed in: the app says why" : "You can go back to the app";
                response.end(page(isOurs ? ending : "Nothing here"));
            });
            latest = own;
            await listen(own.server, "127.0.0.1").catch(() => listen(own.server, "::1")).catch(() => {
                if (latest === own) latest = null;
                throw new DrawbridgeError("configuration", "no port can be listened on");
            });
            if (latest !== own || signal?.aborted) {
                if (latest === own) latest = null;
                stop(own);
                throw new DrawbridgeError("cancelled");
            }
            const abandon = () => end(own);
            signal?.addEventListener("abort", abandon, { once: true });
            own.forget = () => signal?.removeEventListener("abort", abandon);
            const { address, port } = own.server.address();
            own.place = address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
            return `http://${own.place}${path}`;
        },

        async open(address) {
            const query = new URL(address).searchParams;
            const own = latest;
            const redirect = query.get("redirect_uri");
            // Prepared, and then another one took its place: its own port is closed.
            if (!own || own.fail || (redirect !== null && redirect !== `http://${own.place}${path}`)) {
                throw new DrawbridgeError("cancelled");
            }
            let timer;
            try {
                return await new Promise((done, fail) => {
                    own.fail = fail;
                    timer = setTimeout(() => fail(new DrawbridgeError("timed_out")), patience);
                    own.state = query.get("state");
                    own.deliver = done;
                    Promise.resolve(show(address)).catch(fail);
                });
            } finally {
                clearTimeout(timer);
                own.deliver = null;
                own.forget();
                stop(own);
                if (latest === own) latest = null;
            }
        },
    };
};
