// The app's store: under which names it keeps what, with which locks, and what its failures become.

import { DrawbridgeError } from "./errors.mjs";
import { queues } from "./stores.mjs";

export class Vault {
    #configuration;
    #store;
    #lock;

    constructor(configuration) {
        this.#configuration = configuration;
        this.#store = configuration.store;
        const locks = globalThis.navigator?.locks;
        this.#lock = this.#store.lock?.bind(this.#store)
            ?? (locks ? (name, work) => locks.request(name, work) : queues());
    }

    get item() {
        return `drawbridge:${this.#configuration.clientId}:${this.#configuration.issuer}`;
    }

    get cookieItem() {
        return `${this.item}:cookies`;
    }

    get sharedItem() {
        return `drawbridge-shared:${this.#configuration.group}`;
    }

    get keyItem() {
        return `${this.#commonItem}:key`;
    }

    /** That of all apps of the group, or of this one where there is none. */
    get #commonItem() {
        return this.#configuration.group === null ? this.item : this.sharedItem;
    }

    /** Not beside a renewal: one may replace the device secret, which is that of all apps of the group (contract §5.4). */
    renewing(work) {
        return this.locked(`renew ${this.#commonItem}`, work);
    }

    /** Work with what the apps of one maker share, beside no renewal of theirs; it takes no such lock itself. */
    sharing(work) {
        return this.#configuration.group === null ? work() : this.renewing(work);
    }

    /** Throws `secret_store` when the store's lock does not work, and lets everything else through. */
    async locked(name, work) {
        let done;
        await guarded(() => this.#lock(name, async () => {
            done = await work().then((value) => ({ value }), (error) => ({ error }));
        }));
        if ("error" in done) throw done.error;
        return done.value;
    }

    async read(name) {
        return guarded(() => this.#store.get(name));
    }

    async write(name, value) {
        await guarded(() => this.#store.set(name, value));
    }

    async remove(name) {
        await guarded(() => this.#store.remove(name));
    }
}

/** Work of a place for secrets that the app has brought; its failure is named, and its text, which may hold one, is not. */
export const guarded = async (work) => {
    try {
        return await work();
    } catch (error) {
        throw error instanceof DrawbridgeError ? error : new DrawbridgeError("secret_store", error?.name);
    }
};
