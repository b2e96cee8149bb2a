// Tokens of Drawbridge, verified here.

import { check, isText, isTime } from './claims.mjs';
import { Refused } from './errors.mjs';
import { noIdentity } from './fields.mjs';
import { ALGORITHMS, verified } from './jws.mjs';

export class Tokens {
  #settings;
  #ours;
  #keys;

  constructor(settings, ours, keys) {
    this.#settings = settings;
    this.#ours = ours;
    this.#keys = keys;
  }

  async verified(text, type, algorithms, audiences, now) {
    const claims = await verified(text, type, algorithms, this.#keys, now);
    check(claims, this.#settings.issuer, audiences, now, this.#settings.leeway);
    return claims;
  }

  /** The user of an access token of this website, and when it was issued. */
  async user(accessToken, now) {
    const claims = await this.verified(
      accessToken, 'at+jwt', ALGORITHMS, [this.#settings.audience ?? this.#settings.issuer], now);
    if (!this.#ours.includes(claims.client_id)) throw new Refused('client');
    // One that is bound to a key is no cookie's (RFC 9449 §7).
    if (Object.hasOwn(claims, 'cnf')) throw new Refused('bound');
    const { sub: subject, sid: session, acr = null, amr = [], auth_time = null } = claims;
    // A machine's token has no session, and is nobody's.
    if (!isText(subject) || !isText(session) || !(acr === null || isText(acr))
        || !(auth_time === null || isTime(auth_time))
        || !(Array.isArray(amr) && amr.every((item) => typeof item === 'string'))) throw new Refused('claims');
    return { user: { subject, session, acr, amr, auth_time, ...noIdentity() }, issued: claims.iat };
  }
}
