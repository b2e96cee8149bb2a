// Which process holds a lock, and whether it is gone.

import { randomUUID } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { json } from "../drawbridge/encoding.mjs";

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
export const heldHere = new Set();

/** What the lock of this process says: whose it is, and nobody else's at any time. */
export const markOfProcess = async () => JSON.stringify({
    id: randomUUID(), pid: process.pid, began: await beginningOf(process.pid), place: await placeOfProcesses(),
});

/**
 * Whether a lock's process is gone; null where nothing tells: of a lock from elsewhere or of an earlier version, on a
 * system that does not say when a process began, and of another thread of this process.
 */
export const isGone = async (mark) => {
    const { pid, began, place } = json(mark) ?? {};
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
