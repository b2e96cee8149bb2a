// The file of secrets: what a process that was killed has left behind, and settings that a timer does not take.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Drawbridge } from "../drawbridge.mjs";
import { fileStore } from "../node.mjs";

test("the lock of a process that was killed is taken over by one after another", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    try {
        const path = join(folder, "secrets.json");
        const file = `${path}.${Buffer.from("renew").toString("hex")}.lock`;
        await writeFile(file, "a process that was killed");
        const long = new Date(Date.now() - 3600000);
        await utimes(file, long, long);
        let inside = 0;
        let most = 0;
        const turns = Array.from({ length: 8 }, () => fileStore(path).lock("renew", async () => {
            inside += 1;
            most = Math.max(most, inside);
            await new Promise((done) => setTimeout(done, 5));
            inside -= 1;
        }));
        await Promise.all(turns);
        assert.equal(most, 1);
        assert.deepEqual(await readdir(folder), []);
    } finally {
        await rm(folder, { recursive: true });
    }
});

test("a timeout that a timer does not take is refused", () => {
    for (const timeout of [0, -1, NaN, "30", 2 ** 31, Infinity]) {
        assert.throws(() => new Drawbridge({ issuer: "https://www.example.com", timeout }), { code: "configuration" });
    }
});
