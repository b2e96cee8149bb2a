// What is remembered of ended sessions and of notices.

/**
 * Remembers texts until their time is over. When it has no room left, the oldest make room: one account that signs in and out
 * in a loop must not keep a website from hearing of the others.
 */
export class Memory {
  /** The oldest first. */
  #until = new Map();
  #forgotten = 0;

  constructor(limit = 100_000) {
    this.limit = limit;
  }

  /** `new`, `known` or, of a store that forgets nothing early, `full`. */
  add(text, until, now) {
    if (this.has(text, now)) return 'known';
    this.#until.delete(text);
    for (const [oldest, end] of this.#until) {
      if (this.#until.size < this.limit) break;
      this.#until.delete(oldest);
      if (end > now) this.#forgotten = Math.max(this.#forgotten, end);
    }
    if (this.#until.size >= this.limit) return 'full';
    this.#until.set(text, until);
    return 'new';
  }

  has(text, now) {
    return (this.#until.get(text) ?? now) > now;
  }

  forget(text) {
    this.#until.delete(text);
  }

  /** The latest time of those that made room before it was over; 0 while none has. */
  get forgotten() {
    return this.#forgotten;
  }
}
