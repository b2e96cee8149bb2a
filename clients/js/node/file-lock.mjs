// A lock that holds across processes: a file that is there while somebody holds it.

import { createHash } from "node:crypto";
import { mkdir, open, readFile, rm, stat, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { DrawbridgeError } from "../drawbridge/errors.mjs";
import { expectOwn, make } from "./files.mjs";
import { heldHere, isGone, markOfProcess } from "./process-mark.mjs";

/** Milliseconds after which a lock that nobody has renewed is a dead process's, where nothing else tells. */
const staleAfter = 60000;
/** When the lock of a process that lives is one that it left behind: a thread of it was ended, or a disk failed. */
const forsakenAfter = 600000;

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

/** Work while nobody else holds the lock. */
export const exclusively = async (file, work) => {
    const folder = dirname(file);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Whoever may write to it could put another file in the place of ours.
    expectOwn(await stat(folder), 0o022, folder);
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
