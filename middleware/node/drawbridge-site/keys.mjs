// Drawbridge's public keys.

import { Refused, Unavailable } from './errors.mjs';
import { readKeys } from './jws.mjs';
import { OUTAGE_PAUSE } from './outage.mjs';

/**
 * Drawbridge's public keys: used for five minutes, and fetched for an unknown `kid` at most every half minute. While there
 * are none to do with, they are asked for as soon as after any failure.
 */
export class Keys {
  #keys = new Map();
  #fetched = null;
  /** When the last question ended: the pause begins once nobody waits for its answer. */
  #tried = null;
  #pending = null;

  constructor(settings, fetch, now) {
    this.settings = settings;
    this.fetch = fetch;
    this.now = now;
  }

  async key(kid, now) {
    this.#heedClock();
    if (this.#fetched === null || now - this.#fetched >= this.settings.keys_fresh) {
      // While somebody asks, nobody else waits for the answer who can do without.
      if (!(this.#pending && this.#hold(now) && this.#keys.has(kid))) await this.#renew();
    }
    if (!this.#hold(now)) throw new Unavailable("Drawbridge's keys cannot be had");
    if (!this.#keys.has(kid)) await this.#renew();
    // Asked before and not now: meanwhile it may be there.
    if (!this.#keys.has(kid)) throw new Refused('unknown_key', this.#fetched >= now);
    return this.#keys.get(kid);
  }

  #hold(now) {
    return this.#fetched !== null && now - this.#fetched <= this.settings.keys_stale;
  }

  #heedClock() {
    const now = this.now();
    // By more than a second: of two who come at once, one has looked at the clock a little earlier.
    if (this.#fetched > now + 1 || this.#tried > now + 1) {
      // The clock was set back. How old the keys are is not known: they are due, and hold for an hour from now at most.
      this.#fetched = this.#fetched === null ? null : Math.min(this.#fetched, now - this.settings.keys_fresh);
      this.#tried = null;
    }
  }

  async #renew() {
    // One question at a time, whose answer is for all who wait.
    if (this.#pending) return this.#pending;
    this.#heedClock();
    // Anew: whoever waited has come seconds ago, and would ask again what has just failed.
    const now = this.now();
    if (this.#tried !== null && now - this.#tried < (this.#hold(now) ? this.settings.keys_pause : OUTAGE_PAUSE)) return;
    this.#pending = (async () => {
      try {
        const { status, body } = await this.fetch('/.well-known/jwks.json', {});
        if (status === 200) {
          this.#keys = readKeys(body);
          this.#fetched = now;
        }
      } catch (error) {
        if (!(error instanceof Unavailable || error instanceof Refused)) throw error;
      } finally {
        this.#tried = this.now();
        this.#pending = null;
      }
    })();
    return this.#pending;
  }
}
