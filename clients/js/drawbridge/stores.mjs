// A store in memory, and the lock of one process.

/** Runs work on one name one after another. */
export const queues = () => {
    const ends = new Map();
    return async (name, work) => {
        const before = ends.get(name) ?? Promise.resolve();
        const result = before.then(work);
        const end = result.then(() => {}, () => {});
        ends.set(name, end);
        try {
            return await result;
        } finally {
            if (ends.get(name) === end) ends.delete(name);
        }
    };
};

/** Keeps secrets as long as the process lives. */
export const memoryStore = () => {
    const kept = new Map();
    return {
        get: async (name) => kept.get(name) ?? null,
        set: async (name, value) => void kept.set(name, value),
        remove: async (name) => void kept.delete(name),
        lock: queues(),
    };
};
