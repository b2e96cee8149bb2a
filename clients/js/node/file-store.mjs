// A file for secrets.

import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { json } from "../drawbridge/encoding.mjs";
import { DrawbridgeError } from "../drawbridge/errors.mjs";
import { exclusively } from "./file-lock.mjs";
import { expectOwn, synchronize } from "./files.mjs";

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
            // Null of one that is damaged.
            return json(await file.readFile("utf8"));
        } catch (error) {
            if (error.code === "ENOENT") return {};
            if (error instanceof DrawbridgeError) throw error;
            throw new DrawbridgeError("secret_store", `${path}: ${error.code ?? error.name}`);
        } finally {
            await file?.close();
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
