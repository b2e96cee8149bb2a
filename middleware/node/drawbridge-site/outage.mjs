// What becomes of questions while Drawbridge is away.

import { Unavailable } from './errors.mjs';

/** Seconds for which nobody asks again after Drawbridge failed. */
export const OUTAGE_PAUSE = 2;
/** How many answers of 500 and above in a row are an outage. One alone may be about one visitor. */
const OUTAGE_ANSWERS = 3;

/** Asks Drawbridge. After a failure nobody waits for it for two seconds, and then one at a time, until it answers. */
export class Outage {
  #fetch;
  #now;
  /** When Drawbridge failed last, in seconds; null while it is not away. */
  #failed = null;
  /** Answers of 500 and above in a row; no answer at all counts for as many as are an outage. */
  #bad = 0;
  #isProbing = false;

  constructor(fetch, now) {
    this.#fetch = fetch;
    this.#now = now;
  }

  async ask(path, headers) {
    const isProbe = this.#failed !== null;
    if (isProbe) {
      const since = this.#now() - this.#failed;
      // A clock that was set back keeps nobody away.
      if (this.#isProbing || (since >= 0 && since < OUTAGE_PAUSE)) throw new Unavailable('Drawbridge did not answer just now');
      this.#isProbing = true;
    }
    let counts = OUTAGE_ANSWERS;
    try {
      const found = await this.#fetch(path, headers);
      counts = found.status >= 500 ? 1 : 0;
      return found;
    } finally {
      this.#bad = counts ? this.#bad + counts : 0;
      this.#failed = this.#bad >= OUTAGE_ANSWERS ? this.#now() : null;
      if (isProbe) this.#isProbing = false;
    }
  }
}
