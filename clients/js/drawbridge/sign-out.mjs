// The end of a sign-in (contract §7, RFC 7009).

import { DrawbridgeError, typed, wrong } from "./errors.mjs";
import { audiences, parts } from "./id-token.mjs";
import { refreshTokensOf } from "./own-sign-in.mjs";

export class SignOut {
    #configuration;
    #vault;
    #ownSignIn;
    #sharedSignIn;
    #revocation;
    #renewal;
    #webView;

    constructor({ configuration, vault, ownSignIn, sharedSignIn, revocation, renewal, webView }) {
        this.#configuration = configuration;
        this.#vault = vault;
        this.#ownSignIn = ownSignIn;
        this.#sharedSignIn = sharedSignIn;
        this.#revocation = revocation;
        this.#renewal = renewal;
        this.#webView = webView;
    }

    async signOut(extent) {
        // Another word would end less than the app means.
        if (extent !== "device" && extent !== "thisApp") {
            throw wrong("the extent must be \"device\" or \"thisApp\"");
        }
        this.#configuration.needClient();
        let hasBegun = false;
        try {
            // Not beside a renewal: that one would put fresh tokens where these have just been taken out.
            await this.#vault.renewing(() => {
                hasBegun = true;
                return this.#endSignIn(extent);
            });
        } catch (error) {
            if (hasBegun) throw error;
            await this.#endSignIn(extent, error);
        }
    }

    /** `unlocked`: why the lock could not be had. What is kept ends without it, and that is told. */
    async #endSignIn(extent, unlocked = null) {
        // What cannot be read cannot be ended at the provider, and leaves the device all the same.
        let problem = null;
        const readable = (read) => read.catch((error) => {
            problem ??= typed(error);
            return undefined;
        });
        const own = await readable(this.#ownSignIn.stored());
        const shared = await readable(this.#sharedSignIn.stored());
        const said = shared && parts(shared.id_token)?.claims;
        const isOurs = !own || said?.sub === own.subject;
        const endsShared = shared === undefined ? extent === "device"
            : shared !== null && isOurs && (extent === "device" || audiences(said).includes(this.#configuration.clientId));
        if (own === null && !endsShared) throw new DrawbridgeError("not_signed_in");
        const untold = await this.#endAtProvider(own, endsShared ? shared : null);
        problem ??= untold;
        await this.#clearDevice(shared, endsShared, unlocked);
        if (problem) throw new DrawbridgeError("signed_out_here_only", problem.message, problem);
    }

    /** What went wrong with it first, or null. */
    async #endAtProvider(own, shared) {
        const ending = refreshTokensOf(own).reverse().map((token) => [token, "refresh_token", own.bound]);
        if (shared) ending.push([shared.device_secret, "device_secret", own?.bound]);
        let problem = null;
        let isSilent = false;
        for (const [token, hint, bound] of ending) {
            // Earlier sign-ins would be waited for as long, one after another. The device's end is worth a second try.
            if (isSilent && hint === "refresh_token") continue;
            try {
                await this.#revocation.revoke(token, hint, bound);
            } catch (error) {
                const told = typed(error);
                problem ??= told;
                isSilent = told.code === "unreachable";
            }
        }
        return problem;
    }

    /** All of it, also when the store refuses a part; what stays on the device is told before anything else. */
    async #clearDevice(shared, endsShared, unlocked) {
        const removals = [
            () => this.#ownSignIn.remove(),
            () => endsShared && (shared ? this.#sharedSignIn.forget(shared) : this.#sharedSignIn.remove()),
            () => this.#webView.clear(),
        ];
        let stays = unlocked;
        for (const removal of removals) {
            try {
                await removal();
            } catch (error) {
                stays ??= typed(error);
            }
        }
        this.#renewal.forget();
        if (stays) throw stays;
    }
}
