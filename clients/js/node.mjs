// What Node has of its own: a browser that comes back to loopback, a file for secrets, cryptography on Node 18.

import { spawn } from "node:child_process";
import { createHash, randomUUID, webcrypto } from "node:crypto";
import { constants } from "node:fs";
import { link, mkdir, open, readdir, readFile, readlink, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { DrawbridgeError } from "./drawbridge.mjs";

/** Web Cryptography, which Node 18 does not have among its globals. */
export const crypto = globalThis.crypto ?? webcrypto;

const page = (text) =>
    `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>${text}</title><h1>${text}</h1>`
    + "<script>history.replaceState(null,\"\",location.pathname)</script></html>";

/** A command that still runs after so many milliseconds is the browser itself: how it ends says nothing about its start. */
const startsWithin = 2000;

/** Opens the system's browser; on Linux by xdg-open. Rejects when there is none. */
const openBySystem = (address) => new Promise((done, fail) => {
    const [command, ...before] = {
        darwin: ["open"], win32: ["rundll32", "url.dll,FileProtocolHandler"],
    }[process.platform] ?? ["xdg-open"];
    const noBrowser = () => fail(new DrawbridgeError("configuration", "there is no browser to open; use signInByDevice"));
    const timer = setTimeout(done, startsWithin);
    const opener = spawn(command, [...before, address], { stdio: "ignore", detached: true });
    opener.once("error", noBrowser).once("exit", (status) => (status === 0 ? done() : noBrowser()));
    opener.once("error", () => clearTimeout(timer)).once("exit", () => clearTimeout(timer)).unref();
});

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

/** Milliseconds after which a lock that nobody has renewed is a dead process's, where nothing else tells. */
const staleAfter = 60000;
/** When the lock of a process that lives is one that it left behind: a thread of it was ended, or a disk failed. */
const forsakenAfter = 600000;

/** Where a process's number means something: in one start of one machine, and there in one space of numbers. */
const placeOfProcesses = async () => {
    if (process.platform !== "linux") return `${process.platform} ${hostname()}`;
    const start = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => null);
    const space = await readlink("/proc/self/ns/pid").catch(() => null);
    return start && space && `${start.trim()} ${space}`;
};

/** When a process began, so that another one that was given its number later is told apart; null where nothing says so. */
const beginningOf = async (pid) => {
    const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    // The name before it may hold anything (proc_pid_stat(5)): the state is field 3, the beginning field 22.
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    // One that has ended and that its parent has not asked about yet holds nothing any more.
    return fields[0] === "Z" ? "over" : fields[19] ?? null;
};

/** The marks of the locks that are held here: in this process, and there in this thread. */
const heldHere = new Set();

/** What the lock of this process says: whose it is, and nobody else's at any time. */
const markOfProcess = async () => JSON.stringify({
    id: randomUUID(), pid: process.pid, began: await beginningOf(process.pid), place: await placeOfProcesses(),
});

/**
 * Whether a lock's process is gone; null where nothing tells: of a lock from elsewhere or of an earlier version, on a
 * system that does not say when a process began, and of another thread of this process.
 */
const isGone = async (mark) => {
    const { pid, began, place } = secretsIn(mark) ?? {};
    if (!Number.isInteger(pid) || pid <= 0 || !place || place !== (await placeOfProcesses())) return null;
    try {
        process.kill(pid, 0);
    } catch (error) {
        if (error.code === "ESRCH") return true;
    }
    if (heldHere.has(mark)) return false;
    const now = await beginningOf(pid);
    if (!began || now === null) return null;
    return now === began && pid === process.pid ? null : now !== began;
};

/** Refuses what another user may read or change, where there are users in that sense. */
const expectOwn = (found, mode, what) => {
    if (process.getuid === undefined) return;
    if (found.uid !== process.getuid() || (found.mode & mode) !== 0) {
        throw new DrawbridgeError("secret_store", `${what} is open to others`);
    }
};

/**
 * Brings a folder's names to the disk: after a power cut the token that is used up would be back, and its next use be taken
 * for a theft (contract §5.2). Windows opens no folders, and has NTFS write names down by itself; some file systems take no
 * such call, and what was written is written.
 */
const synchronize = async (folder) => {
    if (process.platform === "win32") return;
    const opened = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
        await opened.sync();
    } catch (error) {
        if (error.code !== "EINVAL" && error.code !== "ENOTSUP") throw error;
    } finally {
        await opened.close();
    }
};

/** What a file of secrets holds; null of one that is damaged. */
const secretsIn = (text) => {
    try {
        const kept = JSON.parse(text);
        return kept !== null && typeof kept === "object" && !Array.isArray(kept) ? kept : null;
    } catch {
        return null;
    }
};

/** A file that is not there yet (`EEXIST`), with its text at once: no kill and no full disk leaves one without it. */
const make = async (file, text) => {
    const draft = `${file}.${randomUUID()}`;
    try {
        await writeFile(draft, text, { flag: "wx", mode: 0o600 });
        try {
            return await link(draft, file);
        } catch (error) {
            // Systems say in several ways that they have no links; whatever else it is, the second way meets it again.
            if (error.code === "EEXIST") throw error;
        }
    } finally {
        await rm(draft, { force: true });
    }
    const own = await open(file, "wx", 0o600);
    try {
        await own.writeFile(text);
    } catch (error) {
        await rm(file, { force: true });
        throw error;
    } finally {
        await own.close();
    }
};

/**
 * Secrets in one file that only this user can read; `lock` holds across processes. To read a damaged one is an error
 * (`secret_store`); the next change, such as a sign-out's, replaces it.
 */
export const fileStore = (path) => {
    const all = async () => {
        let file;
        try {
            file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
            expectOwn(await file.stat(), 0o077, path);
            return secretsIn(await file.readFile("utf8"));
        } catch (error) {
            if (error.code === "ENOENT") return {};
            if (error instanceof DrawbridgeError) throw error;
            throw new DrawbridgeError("secret_store", `${path}: ${error.code ?? error.name}`);
        } finally {
            await file?.close();
        }
    };
    const holder = (file) => readFile(file, "utf8").catch((error) => {
        if (error.code === "ENOENT") return null;
        // Nobody could tell when such a lock ends: it is another user's, or no file.
        throw new DrawbridgeError("secret_store", `${file}: ${error.code ?? error.name}`);
    });
    const age = (file) => stat(file).then((found) => Date.now() - found.mtimeMs, () => 0);
    const free = async (file, mark) => {
        if ((await holder(file)) === mark) await rm(file, { force: true });
    };
    /**
     * Of a process that was killed. It is taken over at once: a renewal whose answer was lost can be repeated for ten
     * seconds, and is a theft after that (contract §5.2). One that lives is waited for, even if it stands still. Where
     * nothing tells whether the process lives, it says so every ten seconds.
     */
    const isAbandoned = async (file, mark) => {
        const gone = await isGone(mark);
        return gone || (await age(file)) > (gone === null ? staleAfter : forsakenAfter);
    };
    /** Takes away an abandoned lock. One process alone does so: another one's rm() could meet the lock that comes next. */
    const takeAway = async (file, dead) => {
        const guard = `${file}.${createHash("sha256").update(dead).digest("hex")}`;
        try {
            await (await open(guard, "wx", 0o600)).close();
        } catch (error) {
            if (error.code !== "EEXIST") throw error;
            // Whoever made it was killed as well.
            if ((await age(guard)) > staleAfter) await rm(guard, { force: true });
            return;
        }
        try {
            if ((await holder(file)) === dead && (await isAbandoned(file, dead))) await rm(file, { force: true });
        } finally {
            await rm(guard, { force: true });
        }
    };
    const exclusively = async (file, work) => {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        // Whoever may write to it could put another file in the place of ours.
        expectOwn(await stat(dirname(path)), 0o022, dirname(path));
        const mark = await markOfProcess();
        for (let wait = 5; ; wait = Math.min(2 * wait, 200)) {
            const held = await holder(file);
            // While the lock exists, do not even write a draft: waiting uses no disk space.
            if (held === null) {
                try {
                    heldHere.add(mark);
                    await make(file, mark);
                    break;
                } catch (error) {
                    heldHere.delete(mark);
                    if (error.code !== "EEXIST") throw error;
                }
            } else if (await isAbandoned(file, held)) await takeAway(file, held);
            await new Promise((done) => setTimeout(done, wait));
        }
        const alive = setInterval(() => utimes(file, new Date(), new Date()).catch(() => {}), 10000);
        alive.unref?.();
        try {
            return await work();
        } finally {
            clearInterval(alive);
            heldHere.delete(mark);
            // Only our own: ours may have been taken away while this machine slept.
            await free(file, mark);
        }
    };
    /** Takes away what a process that was killed had written. Under the lock nobody else writes. */
    const sweep = async () => {
        const start = `${basename(path)}.`;
        for (const name of await readdir(dirname(path))) {
            const isDraft = name.startsWith(start) && /^[0-9a-f-]+\.new$/.test(name.slice(start.length));
            if (isDraft) await rm(join(dirname(path), name), { force: true });
        }
    };
    const change = (act) => exclusively(`${path}.lock`, async () => {
        // Of a damaged one nothing can be saved, and refusing every change would keep it for good.
        const kept = (await all()) ?? {};
        act(kept);
        await sweep();
        // A name that nobody can foresee, and a file that was not there.
        const next = `${path}.${randomUUID()}.new`;
        try {
            // On the disk first: after a power cut the new name must not lead to a file without its contents.
            const file = await open(next, "wx", 0o600);
            try {
                await file.writeFile(JSON.stringify(kept));
                await file.sync();
            } finally {
                await file.close();
            }
            await rename(next, path);
            await synchronize(dirname(path));
        } finally {
            await rm(next, { force: true });
        }
    });
    return {
        get: async (name) => {
            const kept = await all();
            if (kept === null) throw new DrawbridgeError("secret_store", `${path} is damaged; a sign-out replaces it`);
            return kept[name] ?? null;
        },
        set: (name, value) => change((kept) => { kept[name] = value; }),
        remove: (name) => change((kept) => { delete kept[name]; }),
        // Of one length, whatever a name holds, and of no two names the same.
        lock: (name, work) => exclusively(`${path}.${createHash("sha256").update(name).digest("hex")}.lock`, work),
    };
};
