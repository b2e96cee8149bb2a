// An app that does what it is told on standard input, for tests that look at it from outside: what it opens, what it
// writes, and what is left in its memory.
import { createInterface } from "node:readline";
import { inspect } from "node:util";
import { Drawbridge, memoryStore } from "../drawbridge.mjs";
import { crypto } from "../node.mjs";

const [issuer] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const read = async () => (await lines.next()).value;
const say = (text) => void process.stdout.write(`${text}\n`);
/** As somebody logs who looks for a fault: everything, as deep as the language prints it. */
const note = (value) => void process.stderr.write(`${inspect(value, { depth: 9, showHidden: true })} ${JSON.stringify(value)}\n`);

const app = new Drawbridge({
    issuer, clientId: "demo-app", redirectUri: "com.example.demo:/callback", sharing: "example", store: memoryStore(), crypto,
    logger: (level, line) => note(`${level} ${line}`),
    browser: { open: (address) => (say(address), read()) },
});
note(app);

const work = {
    "sign-in": async () => note(await app.signIn()),
    own: async (path) => {
        const link = await app.openURL(path);
        note(link);
        say(link.url);
    },
    bearer: async (path, bearer) => {
        const link = await app.openURL(path, { bearer });
        note(link);
        say(link.url);
    },
    refused: async (path) => {
        try {
            await app.openURL(path);
        } catch (error) {
            note(error);
            note(error.stack);
        }
    },
    "sign-out": async () => app.signOut(),
    // What pipes have buffered of the words before is written over.
    wash: async (soap) => say(soap),
};

for (let line = await read(); line !== undefined; line = await read()) {
    const [word, ...more] = line.split(" ");
    await work[word](...more);
    say("done");
}
