// What the apps of one maker share on one device (Native SSO): in one item, so that its two parts always belong together.

import { isText } from "./checks.mjs";
import { json } from "./encoding.mjs";
import { parts } from "./id-token.mjs";

export class SharedSignIn {
    #configuration;
    #vault;

    constructor(configuration, vault) {
        this.#configuration = configuration;
        this.#vault = vault;
    }

    async stored() {
        if (this.#configuration.group === null) return null;
        const kept = json((await this.#vault.read(this.#vault.sharedItem)) ?? "");
        return isText(kept?.device_secret) && isText(kept.id_token) && parts(kept.id_token) ? kept : null;
    }

    /** The same for whoever holds no lock: not what a renewal under way is about to replace. */
    current() {
        return this.#vault.sharing(() => this.stored());
    }

    async share(deviceSecret, idToken) {
        if (this.#configuration.group === null) return;
        await this.#vault.write(this.#vault.sharedItem, JSON.stringify({ device_secret: deviceSecret, id_token: idToken }));
    }

    /** Forgets a shared sign-in, or goes back to the one before it, unless another app has put in a fresh one. */
    async forget(dead, before = null) {
        if ((await this.stored())?.device_secret !== dead.device_secret) return;
        if (before) await this.share(before.device_secret, before.id_token);
        else await this.remove();
    }

    remove() {
        return this.#vault.remove(this.#vault.sharedItem);
    }
}

/** Whose sign-in is shared. */
export const personOf = (shared) => parts(shared.id_token)?.claims.sub;
