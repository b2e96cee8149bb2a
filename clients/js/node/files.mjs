// Files that no other user reads or changes, on the disk as a whole or not at all.

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, open, rm, writeFile } from "node:fs/promises";
import { DrawbridgeError } from "../drawbridge/errors.mjs";

/** Refuses what another user may read or change, where there are users in that sense. */
export const expectOwn = (found, mode, what) => {
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
export const synchronize = async (folder) => {
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

/** A file that is not there yet (`EEXIST`), with its text at once: no kill and no full disk leaves one without it. */
export const make = async (file, text) => {
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
