// The browser of the system.

import { spawn } from "node:child_process";
import { DrawbridgeError } from "../drawbridge/errors.mjs";

/** A command that still runs after so many milliseconds is the browser itself: how it ends says nothing about its start. */
const startsWithin = 2000;

/** Opens the system's browser; on Linux by xdg-open. Rejects when there is none. */
export const openBySystem = (address) => new Promise((done, fail) => {
    const [command, ...before] = {
        darwin: ["open"], win32: ["rundll32", "url.dll,FileProtocolHandler"],
    }[process.platform] ?? ["xdg-open"];
    const noBrowser = () => fail(new DrawbridgeError("configuration", "there is no browser to open; use signInByDevice"));
    const timer = setTimeout(done, startsWithin);
    const opener = spawn(command, [...before, address], { stdio: "ignore", detached: true });
    opener.once("error", noBrowser).once("exit", (status) => (status === 0 ? done() : noBrowser()));
    opener.once("error", () => clearTimeout(timer)).once("exit", () => clearTimeout(timer)).unref();
});
