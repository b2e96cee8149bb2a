// The locks of the file of secrets: what a killed process has left behind, a full disk, and calls that take long.
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import files, { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileStore } from "../node.mjs";

test("the lock of a process that was killed is taken over by one after another", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    try {
        const path = join(folder, "secrets.json");
        const file = `${path}.${createHash("sha256").update("renew").digest("hex")}.lock`;
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

/** The file of a lock, by its name. */
const lockFile = (path, name) => `${path}.${createHash("sha256").update(name).digest("hex")}.lock`;

/** The work's value, or `late` after so many milliseconds. */
const within = (milliseconds, work) => Promise.race([
    work, new Promise((done) => setTimeout(done, milliseconds, "late").unref()),
]);

test("the lock of a process that was killed just now is taken over at once, within the grace of a renewal (§5.2)", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    const path = join(folder, "secrets.json");
    const module = JSON.stringify(new URL("../node.mjs", import.meta.url).href);
    const child = spawn(process.execPath, ["--input-type=module", "-e", `
        import { fileStore } from ${module};
        await fileStore(${JSON.stringify(path)}).lock("renew", () => new Promise((done) => {
            console.log("held");
            setTimeout(done, 60000);
        }));`], { stdio: ["ignore", "pipe", "inherit"] });
    try {
        await once(child.stdout, "data");
        const waiting = fileStore(path).lock("renew", async () => "mine");
        assert.equal(await within(300, waiting), "late");
        child.kill("SIGKILL");
        assert.equal(await within(5000, waiting), "mine");
        assert.deepEqual(await readdir(folder), []);
    } finally {
        child.kill("SIGKILL");
        await rm(folder, { recursive: true });
    }
});

test("a lock whose process's number another process has by now is taken over, one from elsewhere is waited for", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    const path = join(folder, "secrets.json");
    const file = lockFile(path, "renew");
    try {
        const mark = await fileStore(path).lock("renew", async () => JSON.parse(await readFile(file, "utf8")));
        if (mark.began !== null) {
            await writeFile(file, JSON.stringify({ ...mark, began: "0" }));
            assert.equal(await within(5000, fileStore(path).lock("renew", async () => "mine")), "mine");
        }
        const gone = { ...mark, pid: 2 ** 30 };
        for (const held of [JSON.stringify({ ...gone, place: "another machine" }), "of an earlier version", "", "{}"]) {
            await writeFile(file, held);
            const waiting = fileStore(path).lock("renew", async () => "mine");
            assert.equal(await within(400, waiting), "late", held);
            await rm(file);
            assert.equal(await within(5000, waiting), "mine");
        }
    } finally {
        await rm(folder, { recursive: true });
    }
});

test("the lock of a process that lives is waited for, although it has given no sign for five minutes", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    const path = join(folder, "secrets.json");
    const file = lockFile(path, "renew");
    const long = new Date(Date.now() - 300000);
    const module = JSON.stringify(new URL("../node.mjs", import.meta.url).href);
    const child = spawn(process.execPath, ["--input-type=module", "-e", `
        import { fileStore } from ${module};
        await fileStore(${JSON.stringify(path)}).lock("renew", () => new Promise((done) => {
            console.log("held");
            setTimeout(done, 60000);
        }));`], { stdio: ["ignore", "pipe", "inherit"] });
    try {
        await once(child.stdout, "data");
        if (JSON.parse(await readFile(file, "utf8")).began === null) return t.skip("nothing tells here whether it lives");
        // It stands still, as in a machine that sleeps: it cannot say that it lives.
        child.kill("SIGSTOP");
        await utimes(file, long, long);
        const waiting = fileStore(path).lock("renew", async () => "mine");
        assert.equal(await within(1000, waiting), "late");
        child.kill("SIGKILL");
        assert.equal(await within(5000, waiting), "mine");
        assert.deepEqual(await readdir(folder), []);
    } finally {
        child.kill("SIGKILL");
        await rm(folder, { recursive: true });
    }
});

test("a lock that an ended thread of this process has left is taken over after a minute, one that is held is not", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    const path = join(folder, "secrets.json");
    const file = lockFile(path, "renew");
    const long = new Date(Date.now() - 61000);
    try {
        const held = await fileStore(path).lock("renew", async () => {
            await utimes(file, long, long);
            const next = fileStore(path).lock("renew", async () => "mine");
            assert.equal(await within(400, next), "late");
            return { mark: await readFile(file, "utf8"), next };
        });
        assert.equal(await within(5000, held.next), "mine");
        // The same process, and no lock that this thread holds.
        await writeFile(file, held.mark);
        const waiting = fileStore(path).lock("renew", async () => "mine");
        assert.equal(await within(400, waiting), "late");
        await utimes(file, long, long);
        assert.equal(await within(5000, waiting), "mine");
        assert.deepEqual(await readdir(folder), []);
    } finally {
        await rm(folder, { recursive: true });
    }
});

test("locks of long names that end alike do not wait for each other", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    try {
        const store = fileStore(join(folder, "secrets.json"));
        const name = (app) => `renew drawbridge:${app}:https://identity.example.com`;
        await store.lock(name("app-a"), () => store.lock(name("app-b"), async () => {}));
    } finally {
        await rm(folder, { recursive: true });
    }
});

/** Has some of the system's calls go otherwise meanwhile, in the library too. */
const changing = async (calls, work) => {
    const before = Object.fromEntries(Object.keys(calls).map((name) => [name, files[name]]));
    Object.assign(files, calls);
    syncBuiltinESMExports();
    try {
        return await work();
    } finally {
        Object.assign(files, before);
        syncBuiltinESMExports();
    }
};

test("a full disk leaves no lock behind: the next change does not wait for a minute", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    const path = join(folder, "secrets.json");
    const module = JSON.stringify(new URL("../node.mjs", import.meta.url).href);
    try {
        // A file may have no bytes at all there: it is made, and then not written, as on a full disk.
        const full = ["-c", "ulimit -f 0; exec \"$0\" \"$@\"", process.execPath];
        const child = spawn("sh", [...full, "--input-type=module", "-e", `
            import { fileStore } from ${module};
            await fileStore(${JSON.stringify(path)}).set("a", "1").catch((error) => console.log(error.code));`,
        ], { stdio: ["ignore", "pipe", "inherit"] });
        const [said] = await once(child.stdout, "data");
        assert.equal(String(said), "EFBIG\n");
        await once(child, "close");
        assert.deepEqual(await readdir(folder), []);
        assert.equal(await within(5000, fileStore(path).set("b", "2")), undefined);
    } finally {
        await rm(folder, { recursive: true });
    }
});

test("a lock is never there without its mark", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    const path = join(folder, "secrets.json");
    const seen = new Set();
    try {
        // Whoever is killed between two calls leaves what is there between them.
        const looking = (call) => async (...given) => {
            const found = await call(...given);
            seen.add(await readFile(lockFile(path, "renew"), "utf8").catch(() => null));
            return found;
        };
        const { open, writeFile: write, link } = files;
        await changing({ open: looking(open), writeFile: looking(write), link: looking(link) },
            () => fileStore(path).lock("renew", async () => {}));
        assert.deepEqual([...seen].map((mark) => mark && JSON.parse(mark).pid), [null, process.pid]);
        assert.deepEqual(await readdir(folder), []);
    } finally {
        await rm(folder, { recursive: true });
    }
});

test("a file system without links has locks all the same, and keeps none whose mark could not be written", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    const path = join(folder, "secrets.json");
    const failing = (code) => async () => { throw Object.assign(new Error("not here"), { code }); };
    const probe = await files.open(folder);
    const { writeFile: write } = Object.getPrototypeOf(probe);
    try {
        await changing({ link: failing("EPERM") }, async () => {
            const store = fileStore(path);
            const waiting = await store.lock("renew", async () => {
                const next = store.lock("renew", async () => "mine");
                assert.equal(await within(300, next), "late");
                return { next };
            });
            assert.equal(await within(5000, waiting.next), "mine");
            Object.getPrototypeOf(probe).writeFile = failing("ENOSPC");
            await assert.rejects(store.lock("renew", async () => {}), { code: "ENOSPC" });
        });
        assert.deepEqual(await readdir(folder), []);
    } finally {
        Object.getPrototypeOf(probe).writeFile = write;
        await probe.close();
        await rm(folder, { recursive: true });
    }
});

for (const stalling of [["rename", "link", "rm"], ["open", "writeFile"]]) {
    test(`a take-over whose ${stalling} take long leaves the lock of the next one alone`, async () => {
        const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
        const path = join(folder, "secrets.json");
        const file = lockFile(path, "renew");
        const isSlow = new AsyncLocalStorage();
        const slowly = (call) => async (...given) => {
            if (isSlow.getStore()) await new Promise((done) => setTimeout(done, 300));
            return call(...given);
        };
        const inside = { now: 0, most: 0 };
        const work = async () => {
            inside.most = Math.max(inside.most, inside.now += 1);
            await new Promise((done) => setTimeout(done, 600));
            inside.now -= 1;
        };
        try {
            const mark = await fileStore(path).lock("renew", async () => JSON.parse(await readFile(file, "utf8")));
            await writeFile(file, JSON.stringify({ ...mark, pid: 2 ** 30 }));
            const calls = Object.fromEntries(stalling.map((name) => [name, slowly(files[name])]));
            await changing(calls, async () => {
                const first = isSlow.run(true, () => fileStore(path).lock("renew", work));
                await new Promise((done) => setTimeout(done, 100));
                await Promise.all([first, fileStore(path).lock("renew", work), fileStore(path).lock("renew", work)]);
            });
            assert.equal(inside.most, 1);
            assert.deepEqual(await readdir(folder), []);
        } finally {
            await rm(folder, { recursive: true });
        }
    });
}

test("a take-over that was killed itself holds the next one up for a minute at most", async () => {
    const folder = await mkdtemp(join(tmpdir(), "drawbridge-store-"));
    const path = join(folder, "secrets.json");
    const file = lockFile(path, "renew");
    const long = new Date(Date.now() - 61000);
    try {
        const guard = `${file}.${createHash("sha256").update("dead").digest("hex")}`;
        await writeFile(file, "dead");
        await utimes(file, long, long);
        await writeFile(guard, "");
        const waiting = fileStore(path).lock("renew", async () => "mine");
        assert.equal(await within(400, waiting), "late");
        await utimes(guard, long, long);
        assert.equal(await within(5000, waiting), "mine");
        assert.deepEqual(await readdir(folder), []);
    } finally {
        await rm(folder, { recursive: true });
    }
});
