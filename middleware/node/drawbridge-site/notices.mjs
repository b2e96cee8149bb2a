// What Drawbridge tells this server: webhooks and logout tokens, before they are handled.

import { createHmac } from 'node:crypto';
import { isText } from './claims.mjs';
import { same } from './comparing.mjs';
import { Refused } from './errors.mjs';
import { jsonObject } from './jws.mjs';

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

export class Notices {
  #settings;
  #ours;
  #tokens;

  constructor(settings, ours, tokens) {
    this.#settings = settings;
    this.#ours = ours;
    this.#tokens = tokens;
  }

  /** What a signed notice says, docs/webhooks.md. */
  event(body, signature, now) {
    if (body.length > 65536) throw new Refused('too_large');
    const parts = signature.split(',').filter((part) => part.includes('='))
      .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]);
    const times = parts.filter(([name]) => name === 't').map(([, value]) => value);
    if (times.length !== 1 || !/^[0-9]{1,12}$/.test(times[0])) throw new Refused('signature');
    let holds = false;
    for (const secret of this.#settings.webhook_secrets) {
      const expected = createHmac('sha256', secret).update(`${times[0]}.`).update(body).digest('hex');
      // All are compared, so that the time does not tell which one fits.
      for (const [name, value] of parts) holds = (name === 'v1' && same(value, expected)) || holds;
    }
    if (!holds) throw new Refused('signature');
    if (Math.abs(now - Number(times[0])) > 300) throw new Refused('stale');
    const event = jsonObject(body);
    if (!isText(event.id) || !isText(event.type)) throw new Refused('malformed');
    if (this.#settings.client_id !== null && !this.#ours.includes(event.client_id)) throw new Refused('client');
    return event;
  }

  /** What a logout token says (OpenID Connect Back-Channel Logout 1.0, §2.6). */
  async logout(form, now) {
    const text = form instanceof Uint8Array ? Buffer.from(form).toString() : form.toString();
    const found = new URLSearchParams(text).getAll('logout_token');
    // Another part of the website has read an empty body before, which can be mended; a 4xx would be final.
    if (found.length !== 1) throw new Refused('malformed', text !== '');
    const claims = await this.#tokens.verified(found[0], 'logout+jwt', this.#settings.logout_algorithms, this.#ours, now);
    const event = claims.events?.[LOGOUT_EVENT];
    if (!event || typeof event !== 'object' || Array.isArray(event) || Object.hasOwn(claims, 'nonce')) {
      throw new Refused('claims');
    }
    if (!isText(claims.sid) || !isText(claims.jti)) throw new Refused('claims');
    return claims;
  }
}
