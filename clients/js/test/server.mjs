// Starts the service's own program for the tests: the scripted server of the vectors, or a whole demo.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const binary = process.env.DRAWBRIDGE_BINARY ?? `${root}.build/debug/drawbridge`;

/** The service refuses a DRAWBRIDGE_ variable that it does not know. */
const environment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("DRAWBRIDGE_")));

/** Starts it and waits for its first line on standard output. */
const start = async (...commands) => {
    const child = spawn(binary, commands, { cwd: root, env: environment(), stdio: ["pipe", "pipe", "ignore"] });
    const lines = createInterface({ input: child.stdout });
    const line = await new Promise((done, fail) => {
        lines.once("line", done);
        child.once("error", fail);
        child.once("exit", (status) => fail(new Error(`${commands.join(" ")} ended with ${status}`)));
    });
    const stop = () => new Promise((done) => {
        child.removeAllListeners("exit");
        // One that has ended already will not say so again.
        if (child.exitCode !== null || child.signalCode !== null) return done();
        child.once("exit", done);
        child.kill();
    });
    return { line, stop };
};

export const startVectors = async () => {
    const running = process.env.DRAWBRIDGE_VECTORS_URL;
    if (running) return { url: running, stop: async () => {} };
    const { line, stop } = await start("vectors", "serve", "--vectors", `${root}clients/vectors`, "--until-input-closes");
    return { url: line.trim(), stop };
};

export const startDemo = async () => {
    const { line, stop } = await start("demo", "--listen", "127.0.0.1:0", "--print-json");
    return { ...JSON.parse(line), stop };
};
