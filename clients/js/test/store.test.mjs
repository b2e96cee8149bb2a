// The file of secrets: what a process that was killed has left behind, and settings that a timer does not take; and a
// store that does not let itself be read.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
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

test("a file that others can read is not used, nor one that a link leads to, nor a folder that others can write to", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    try {
        const refused = { code: "secret_store" };
        const path = join(folder, "secrets.json");
        await fileStore(path).set("a", "1");
        await chmod(path, 0o644);
        await assert.rejects(fileStore(path).get("a"), refused);
        await assert.rejects(fileStore(path).set("a", "2"), refused);
        const other = join(folder, "other.json");
        await writeFile(other, "{}", { mode: 0o600 });
        await symlink(other, join(folder, "link.json"));
        await assert.rejects(fileStore(join(folder, "link.json")).get("a"), refused);
        await mkdir(join(folder, "open"));
        await chmod(join(folder, "open"), 0o777);
        await assert.rejects(fileStore(join(folder, "open/secrets.json")).set("a", "1"), refused);
        assert.deepEqual(await readdir(join(folder, "open")), []);
    } finally {
        await rm(folder, { recursive: true });
    }
});

test("a link that waits under the name of the next file is neither followed nor kept", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    try {
        const path = join(folder, "secrets.json");
        const trap = join(folder, "trap");
        await writeFile(trap, "before");
        await symlink(trap, `${path}.${process.pid}.new`);
        await fileStore(path).set("a", "1");
        assert.equal(await readFile(trap, "utf8"), "before");
        assert.equal(await fileStore(path).get("a"), "1");
    } finally {
        await rm(folder, { recursive: true });
    }
});

test("what cannot be read leaves the device at the sign-out all the same", async () => {
    for (const [extent, expected] of [
        ["thisApp", ["drawbridge:app-a:http://127.0.0.1:1", "drawbridge:app-a:http://127.0.0.1:1:cookies"]],
        ["device", ["drawbridge:app-a:http://127.0.0.1:1", "drawbridge-shared:maker",
            "drawbridge:app-a:http://127.0.0.1:1:cookies"]],
    ]) {
        const removed = [];
        const store = {
            get: async () => { throw new Error("damaged"); },
            set: async () => assert.fail("nothing is to be kept"),
            remove: async (name) => void removed.push(name),
        };
        const app = new Drawbridge({ issuer: "http://127.0.0.1:1", clientId: "app-a", sharing: "maker", store });
        // Which cookies the web view has cannot be known, and that is told; the list leaves as well.
        await assert.rejects(app.signOut(extent), { code: "secret_store" });
        assert.deepEqual(removed, expected);
    }
});
