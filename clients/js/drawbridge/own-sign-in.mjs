// This app's own sign-in, as it is kept.

import { isText } from "./checks.mjs";
import { json } from "./encoding.mjs";
import { isBound } from "./token-endpoint.mjs";

/** How many earlier sign-ins of the person an app keeps, to end them at its sign-out. The oldest of more end at once. */
const mostEarlier = 8;

export class OwnSignIn {
    #configuration;
    #vault;
    #revocation;

    constructor(configuration, vault, revocation) {
        this.#configuration = configuration;
        this.#vault = vault;
        this.#revocation = revocation;
    }

    async stored() {
        const kept = json((await this.#vault.read(this.#vault.item)) ?? "");
        return isText(kept?.access_token) && isText(kept.subject) && Number.isFinite(kept.expires_at) ? kept : null;
    }

    /**
     * Keeps a new sign-in, not beside a renewal or a sign-out of the one before. That one goes on until the sign-out, since
     * pages on the web may have come of it: people sign in once more to prove who they are. Another person's ends now.
     */
    async begin(tokens, claims) {
        let own = null;
        let over = [];
        await this.#vault.renewing(async () => {
            // What cannot be read is replaced.
            own = await this.stored().catch(() => null);
            const before = refreshTokensOf(own).filter((token) => token !== tokens.refresh_token);
            const kept = own?.subject === claims.sub ? before.slice(-mostEarlier) : [];
            over = before.slice(0, before.length - kept.length);
            await this.keep(tokens, claims.sub, { claims, earlier: kept });
        });
        await this.#revocation.revokeIfPossible(over, own?.bound);
    }

    async keep(tokens, subject, before) {
        const signIn = {
            access_token: tokens.access_token, refresh_token: tokens.refresh_token ?? before?.refresh_token ?? null,
            // Without a word about its life it is good for this use alone (RFC 6749 §5.1 leaves it open).
            expires_at: this.#configuration.now() + 1000 * (tokens.expires_in ?? 0), subject,
            bound: isBound(tokens),
            // What was granted; an answer that says nothing of it leaves it as it was (RFC 6749 §5.1).
            scope: isText(tokens.scope) ? tokens.scope : before?.scope ?? null,
            // Those of a renewal are about the same sign-in (OpenID Connect Core §12.2).
            claims: before?.claims ?? null,
            // Refresh tokens of the person's sign-ins before this one, the oldest first: they end with it.
            earlier: earlierOf(before),
        };
        await this.#vault.write(this.#vault.item, JSON.stringify(signIn));
        return signIn;
    }

    remove() {
        return this.#vault.remove(this.#vault.item);
    }
}

/** The refresh tokens of sign-ins before a kept one, the oldest first. */
export const earlierOf = (signIn) => (Array.isArray(signIn?.earlier) ? signIn.earlier.filter(isText) : []);

/** The same and its own. */
export const refreshTokensOf = (signIn) => [...earlierOf(signIn), signIn?.refresh_token].filter(isText);
