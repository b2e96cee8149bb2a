// The browser of the system.

import { spawn } from "node:child_process";
import { wrong } from "../drawbridge/errors.mjs";
import { LoginLink } from "../drawbridge/login-links.mjs";

/** A command that still runs after so many milliseconds is the browser itself: how it ends says nothing about its start. */
const startsWithin = 2000;

/** Opens the system's browser; on Linux by xdg-open. Rejects when there is none, with that `problem`. */
export const openBySystem = (
    address, problem = "there is no browser to open; use signInByDevice",
) => new Promise((done, fail) => {
    const [command, ...before] = {
        darwin: ["open"], win32: ["rundll32", "url.dll,FileProtocolHandler"],
    }[process.platform] ?? ["xdg-open"];
    const noBrowser = () => fail(wrong(problem));
    const timer = setTimeout(done, startsWithin);
    const opener = spawn(command, [...before, address], { stdio: "ignore", detached: true });
    opener.once("error", noBrowser).once("exit", (status) => (status === 0 ? done() : noBrowser()));
    opener.once("error", () => clearTimeout(timer)).once("exit", () => clearTimeout(timer)).unref();
});

/**
 * Opens a login link at once in the system's browser, with no shell in between. Other users of this machine can see the
 * browser's command line while it starts; the link works once, for a minute, and a second use ends what the first opened.
 * Rejects with `configuration` where there is no browser, and for a link whose token is in a header, which no browser sends.
 */
export const openInBrowser = async (link) => {
    if (!(link instanceof LoginLink)) throw wrong("openInBrowser takes the link that openURL gave, not its address");
    if (Object.keys(link.headers).length > 0) {
        throw wrong("a browser sends no header of ours; make the link with carrier: \"query\"");
    }
    await openBySystem(link.url, "there is no browser to open");
};
