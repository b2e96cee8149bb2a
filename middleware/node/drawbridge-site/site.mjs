// Who is signed in, what a page demands, and what Drawbridge tells a website's server.

import { answer, away, refusal, said, send, unsent } from './answers.mjs';
import { ownCookies, sessionCookie, takenCookies } from './cookies.mjs';
import { checkDemand, isStrongEnough, stepUp } from './demand.mjs';
import { ConfigurationError, Refused, Unavailable } from './errors.mjs';
import { fetcher } from './fetcher.mjs';
import { identityOf } from './fields.mjs';
import { Handling, LONGEST_TOKEN } from './handling.mjs';
import { Keys } from './keys.mjs';
import { Memory } from './memory.mjs';
import { bodyOf } from './notice-body.mjs';
import { Notices } from './notices.mjs';
import { encoded } from './percent-encoding.mjs';
import { TrustedProxy } from './proxy.mjs';
import { QUESTION_FIELD, Questions } from './questions.mjs';
import { Request, isReturnTarget } from './request.mjs';
import { checkReceiver, checked, oursOf } from './settings.mjs';
import { Tokens } from './tokens.mjs';
import { isOfOwnPage, refuse } from './upgrade.mjs';

/** Seconds: a notice is tried for a day, so two days of ids know every repeat. */
const NOTICE_MEMORY = 2 * 86400;

/** One website. Keep one for the process. */
export class Site {
  #questions;
  #tokens;
  #proxy;
  #received;
  #handling;

  /**
   * @param settings as the table of docs/middleware.md
   * @param options `now()` in seconds; `fetch(path, headers)` → `{status, headers: pairs, body}` asks Drawbridge;
   *   `ended`, `notices`: stores that several processes share; their methods may return promises
   */
  constructor(settings, { now = () => Date.now() / 1000, fetch, ended = new Memory(), notices = new Memory() } = {}) {
    this.settings = checked(settings);
    this.now = now;
    this.fetch = fetch ?? fetcher(this.settings);
    this.ended = ended;
    this.notices = notices;
    this.#questions = new Questions(this.settings, (...question) => this.fetch(...question), () => this.now());
    // Keys remember themselves when they were asked for in vain, and for longer.
    const keys = new Keys(this.settings, (...question) => this.#questions.askAtOnce(...question), () => this.now());
    const ours = oursOf(this.settings);
    this.#tokens = new Tokens(this.settings, ours, keys);
    this.#proxy = new TrustedProxy(this.settings);
    this.#received = new Notices(this.settings, ours, this.#tokens);
    this.#handling = new Handling(this);
  }

  /** `{user}` or `{user: null, reason}`: `missing` is a visitor, anything else deserves a line in the log. */
  async identify(request) {
    if (request.values(QUESTION_FIELD.toLowerCase()).length) {
      throw new Unavailable('this website is asked in place of Drawbridge');
    }
    const source = { proxy: this.#fromProxy, cookie: this.#fromCookie, session: this.#fromSession }[this.settings.source];
    try {
      return { user: await source.call(this, request) };
    } catch (error) {
      if (error instanceof Refused) return { user: null, reason: error.reason };
      throw error;
    }
  }

  async #fromProxy(request) {
    const user = this.#proxy.userOf(request);
    await this.#refuseEnded(user.session);
    return { ...user, ...identityOf(request, this.settings.identity) };
  }

  async #fromCookie(request) {
    try {
      return await this.#fromToken(request);
    } catch (error) {
      // A sign-in on Drawbridge's own page sets the other cookie, whatever the profile, and a token that has run out stays
      // beside it (contract §6). It is asked about alone: Drawbridge knows tokens that are not for us.
      const cookie = sessionCookie(request);
      if (!(error instanceof Refused) || !cookie) throw error;
      try {
        return await this.#questions.user(cookie);
      } catch (second) {
        throw second instanceof Refused ? error : second;
      }
    }
  }

  async #fromToken(request) {
    const tokens = request.cookies(this.settings.cookie);
    if (!tokens.length || (tokens.length === 1 && tokens[0] === '')) throw new Refused('missing');
    // A website beside ours can set a second one for the whole domain.
    if (tokens.length > 1) throw new Refused('repeated');
    return this.userOf(tokens[0]);
  }

  /** The user of an access token of this website. Throws `Refused` and `Unavailable`. */
  async userOf(accessToken) {
    const { user, issued } = await this.#tokens.user(accessToken, this.now());
    await this.#refuseEnded(user.session);
    // Which sessions ended before then is not known any more.
    if (issued <= (this.ended.forgotten ?? 0) - LONGEST_TOKEN + this.settings.leeway) throw new Refused('ended');
    return user;
  }

  async #refuseEnded(session) {
    if (await this.ended.has(session, this.now())) throw new Refused('ended');
  }

  async #fromSession(request) {
    const cookie = ownCookies(request, this.settings);
    if (!cookie) throw new Refused('missing');
    return this.#questions.user(cookie);
  }

  /**
   * `{user}` who may see the page, or `{answer}` for whoever may not.
   * @param demand `acr`: the values that will do; `max_age`: seconds since the sign-in
   */
  async guard(request, demand = {}) {
    checkDemand(demand);
    const { acr = [], max_age = null } = demand;
    if (max_age !== null && this.settings.source === 'proxy') {
      throw new ConfigurationError('a proxy does not say when somebody signed in: let it ask /auth/check?max_age=');
    }
    try {
      const { user } = await this.identify(request);
      if (!user) return { answer: this.#signIn(request) };
      const isFresh = max_age === null || (user.auth_time !== null && this.now() - user.auth_time <= max_age);
      if ((!acr.length || isStrongEnough(user.acr, acr)) && isFresh) return { user };
      return await stepUp(request, user, { acr, maxAge: max_age }, this.settings, this.#questions);
    } catch (error) {
      if (error instanceof Unavailable) return { answer: away() };
      if (error instanceof Refused) return { answer: refusal('Bearer', 'invalid_token') };
      throw error;
    }
  }

  #signIn(request) {
    if (!request.isPage && !request.isForm) return refusal('Bearer', 'invalid_token');
    const taken = takenCookies(request, this.settings).map((line) => ['Set-Cookie', line]);
    if (request.isForm) return unsent(this.settings.sign_in, taken);
    const wanted = isReturnTarget(request.target) ? `?redirect=${encoded(request.target)}` : '';
    return answer(303, [
      ['Location', this.settings.sign_in + wanted], ['Cache-Control', 'no-store'], ['Vary', 'Cookie'], ...taken]);
  }

  /** A signed notice, docs/webhooks.md: each is handled once; 200 tells Drawbridge that it need not come again. */
  async webhook(body, signature, handle = async () => {}) {
    checkReceiver('webhook', this.settings);
    const now = this.now();
    return this.#handling.once(async () => {
      const event = this.#received.event(body, signature ?? '', now);
      const session = event.type.endsWith('session.ended') ? event.sid : null;
      return { name: event.id, until: now + NOTICE_MEMORY, session, event };
    }, handle, now);
  }

  /** OpenID Connect Back-Channel Logout 1.0, §2.6. `form` is the body of the POST. */
  async backchannelLogout(form, handle = async () => {}) {
    checkReceiver('logout', this.settings);
    const now = this.now();
    return this.#handling.once(async () => {
      const claims = await this.#received.logout(form, now);
      return { name: `logout:${claims.jti}`, until: claims.exp + this.settings.leeway, session: claims.sid, event: claims };
    }, handle, now);
  }

  /** For Express and its like: `app.use('/account', site.middleware())`; the user is `request.drawbridgeUser`. */
  middleware(demand = {}) {
    checkDemand(demand);
    return async (incoming, response, next) => {
      try {
        const { user, answer: refused } = await this.guard(Request.of(incoming), demand);
        if (refused) return send(response, refused);
        incoming.drawbridgeUser = user;
        next();
      } catch (error) {
        next(error);
      }
    };
  }

  /** For node:http: `http.createServer(site.guarded(handler))`. */
  guarded(handler, demand = {}) {
    const middleware = this.middleware(demand);
    return (incoming, response) => middleware(incoming, response, async (error) => {
      try {
        if (error) throw error;
        // Nobody else waits for what it promises: rejected, that would end the process.
        await handler(incoming, response);
      } catch (failure) {
        console.error('drawbridge: a page failed:', failure);
        // Its answer had begun, and cannot be another one any more: the visitor sees that it is cut off.
        if (response.headersSent) return response.destroy();
        send(response, answer(500, []));
      }
    });
  }

  /** For web sockets, which `guarded` and `middleware` never see: `server.on('upgrade', site.upgraded(handler))`. */
  upgraded(handler, demand = {}) {
    checkDemand(demand);
    // As browsers write it: in lower case, without the port that https has anyway.
    const { origin } = new URL(this.settings.origin);
    return async (incoming, socket, head) => {
      // Nobody else listens yet: a connection that broke off meanwhile would end the process.
      socket.on('error', () => {});
      try {
        const request = Request.of(incoming);
        if (!isOfOwnPage(request, origin)) return refuse(socket, answer(403, []));
        const { user, answer: refused } = await this.guard(request, demand);
        // It broke off meanwhile: a handler would wait for a `close` that has been.
        if (socket.destroyed) return;
        if (refused) return refuse(socket, refused);
        incoming.drawbridgeUser = user;
        await handler(incoming, socket, head);
      } catch (error) {
        console.error('drawbridge: an upgrade failed:', error);
        socket.destroy();
      }
    };
  }

  /** For node:http and Express: the POST of a webhook (`kind` "webhook") or of a back-channel logout ("logout"). */
  receiver(kind, handle) {
    checkReceiver(kind, this.settings);
    return async (incoming, response) => {
      if (incoming.method !== 'POST') return send(response, said(405, 'refused'));
      const { body, isTooLarge, isEaten } = await bodyOf(incoming, kind);
      if (isTooLarge) {
        response.setHeader('Connection', 'close');
        return send(response, said(413, 'refused'));
      }
      if (isEaten) {
        console.error(`drawbridge: a ${kind} came whose body a parser had read before; put the receiver before the parsers`);
        return send(response, said(500, 'failed'));
      }
      // It broke off, which anybody can make happen: there is nobody to answer.
      if (!body) return;
      try {
        send(response, kind === 'webhook'
          ? await this.webhook(body, incoming.headers['drawbridge-webhook-signature'], handle)
          : await this.backchannelLogout(body, handle));
      } catch (error) {
        console.error(`drawbridge: a ${kind} could not be handled:`, error);
        send(response, said(500, 'failed'));
      }
    };
  }
}
