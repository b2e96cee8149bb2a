// Each notice is handled once, however often it comes and to however many processes.

import { away, said } from './answers.mjs';
import { isText } from './claims.mjs';
import { Refused, Unavailable } from './errors.mjs';

/** Seconds: an access token lives at most a day, so what is remembered as ended for longer can come to no use. */
export const LONGEST_TOKEN = 86400;
/** Seconds for which a handler may take; a process that dies over a notice is waited for no longer. */
const IN_HAND = 300;

export class Handling {
  #stores;
  /** Names of the notices that this process handles now. */
  #inHand = new Set();

  /** `stores` has `ended` and `notices`, which are looked up each time: a website may replace them. */
  constructor(stores) {
    this.#stores = stores;
  }

  async once(read, handle, now) {
    let notice;
    try {
      notice = await read();
    } catch (error) {
      // A 4xx settles it; after a 5xx it comes again.
      if (error instanceof Refused) return said(error.isFinal ? 400 : 503, error.reason);
      if (error instanceof Unavailable) return away();
      throw error;
    }
    // Known is what was handled. While it is in hand a repeat has to come again: the handler may fail yet.
    if (await this.#stores.notices.has(notice.name, now)) return said(200, 'known');
    // Of two that come at once to this process one goes on, however long the store takes to answer.
    if (this.#inHand.has(notice.name)) return said(503, 'in_hand');
    this.#inHand.add(notice.name);
    try {
      return await this.#handled(notice, handle, now);
    } finally {
      this.#inHand.delete(notice.name);
    }
  }

  async #handled(notice, handle, now) {
    if (isText(notice.session) && await this.#stores.ended.add(notice.session, now + LONGEST_TOKEN, now) === 'full') {
      return said(503, 'full');
    }
    const inHand = `in hand ${notice.name}`;
    // A full store cannot tell a repeat. Handlers have to bear one anyway; not to hear of an end they need not.
    if (await this.#stores.notices.add(inHand, now + IN_HAND, now) === 'known') return said(503, 'in_hand');
    try {
      // Handled since the look before: by another process, or while this one waited for the store.
      if (await this.#stores.notices.has(notice.name, now)) return said(200, 'known');
      await handle(notice.event);
      if (await this.#stores.notices.add(notice.name, notice.until, now) === 'full') {
        // It takes the place of its being in hand: both are asked for at once, lest another takes the place between.
        await Promise.all([this.#stores.notices.forget(inHand), this.#stores.notices.add(notice.name, notice.until, now)]);
      }
    } finally {
      await this.#stores.notices.forget(inHand);
    }
    return said(200, 'handled');
  }
}
