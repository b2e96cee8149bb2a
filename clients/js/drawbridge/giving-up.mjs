// Waiting, and what a signal ends that nobody waits for any longer.

import { DrawbridgeError } from "./errors.mjs";

/** Waits; an abandoned wait leaves no timer, which would keep the app's process alive. */
export const pause = (milliseconds, signal) => new Promise((done) => {
    const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        done();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end, { once: true });
});

/** The work, or `cancelled` as soon as the signal says so: nobody waits for it then. */
export const unless = async (signal, work) => {
    if (signal?.aborted) throw new DrawbridgeError("cancelled");
    if (!signal) return work();
    let stop;
    const aborted = new Promise((_, fail) => {
        stop = () => fail(new DrawbridgeError("cancelled"));
        signal.addEventListener("abort", stop, { once: true });
    });
    try {
        return await Promise.race([work(), aborted]);
    } finally {
        signal.removeEventListener("abort", stop);
    }
};
