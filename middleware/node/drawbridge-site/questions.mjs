// What Drawbridge is asked of a visitor.

import { isText } from './claims.mjs';
import { Refused, Unavailable } from './errors.mjs';
import { field, identityOf, noIdentity, ofCheck } from './fields.mjs';
import { jsonObject } from './jws.mjs';
import { Outage } from './outage.mjs';

/** Of each own question. A request with it is one that this website, asked in place of Drawbridge, sent itself. */
export const QUESTION_FIELD = 'Drawbridge-Question';

export class Questions {
  #settings;
  #fetch;
  #outage;

  constructor(settings, fetch, now) {
    this.#settings = settings;
    this.#fetch = fetch;
    this.#outage = new Outage((...question) => this.askAtOnce(...question), now);
  }

  /** Also during an outage. */
  askAtOnce(path, headers) {
    return this.#fetch(path, { ...headers, [QUESTION_FIELD]: '1' });
  }

  ask(path, headers) {
    return this.#outage.ask(path, headers);
  }

  /** Whom Drawbridge knows by its own cookies. */
  async user(cookie) {
    const { status, body } = await this.ask('/session', { Cookie: cookie });
    if (status !== 200) throw new Unavailable(`/session answers ${status}`);
    let session;
    try { session = jsonObject(body); } catch { throw new Unavailable('/session does not answer with JSON'); }
    if (session.authenticated !== true) throw new Refused('missing');
    const { sub: subject, acr = null, amr } = session;
    if (!isText(subject) || !(acr === null || isText(acr))) throw new Unavailable('/session answers with something else');
    const time = Date.parse(session.auth_time ?? '');
    const identity = this.#settings.identity.length ? await this.#identity(cookie, subject) : noIdentity();
    return {
      subject, session: null, acr, amr: amr ?? [], auth_time: Number.isNaN(time) ? null : Math.floor(time / 1000),
      ...identity,
    };
  }

  async #identity(cookie, subject) {
    const wanted = this.#settings.identity;
    const { status, headers } = await this.ask(`/auth/check?identity=${wanted.join(',')}`, { Cookie: cookie });
    // It ended since the first question.
    if (status === 401) throw new Refused('missing');
    if (status !== 200) throw new Unavailable(`/auth/check answers ${status}`);
    return ofCheck(headers, (said) => (field(said, 'x-auth-subject') === subject ? identityOf(said, wanted) : null));
  }
}
