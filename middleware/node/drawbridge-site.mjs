// Who is signed in by Drawbridge at a website: for Express, for its like, and for plain node:http. No dependency.

import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { BlockList, isIP } from 'node:net';

export const SESSION_COOKIE = '__Host-drawbridge_session';
/** Signing out is Drawbridge's own page: a form of the same origin ends the session and takes its cookies away. */
export const SIGN_OUT_FORM = '<form method="post" action="/session/logout"><button>Sign out</button></form>';
const PROXY_FIELD = 'x-drawbridge-proxy';
// Of each own question. A request with it is one that this website, asked in place of Drawbridge, sent itself.
const QUESTION_FIELD = 'Drawbridge-Question';
const SIGN_OUT = '/session/logout';
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
// Seconds: an access token lives at most a day; a notice is tried for a day.
const LONGEST_TOKEN = 86400;
const NOTICE_MEMORY = 2 * 86400;
// Seconds for which a handler may take; a process that dies over a notice is waited for no longer.
const IN_HAND = 300;
// Seconds for which nobody asks again after Drawbridge failed.
const OUTAGE_PAUSE = 2;
// How many answers of 500 and above in a row are an outage. One alone may be about one visitor.
const OUTAGE_ANSWERS = 3;
// How many bytes of Set-Cookie take cookies away that came twice, and how long their paths may be: an answer's header fields
// have to fit a proxy's buffer, which is 4096 bytes by nginx's default.
const MOST_TAKING = 2048;
const LONGEST_PATH = 100;
// To a browser a cookie with it is another one than that without, of the same name, domain and path.
const PARTITIONED = '; Partitioned';
// What /auth/check says beyond the subject, where it is asked.
const IDENTITY = ['name', 'email', 'groups'];

// What `console.log` shows of an object, in place of its members.
const SHOWN = Symbol.for('nodejs.util.inspect.custom');

/** Settings that cannot work, or that would believe anybody. */
export class ConfigurationError extends Error {}

/** Nobody can say now who this is: 503, never "signed out" and never "signed in". */
export class Unavailable extends Error {}

/** What must not be believed; `reason` is one short word for the log. */
export class Refused extends Error {
  /** One that is not final may be believed in half a minute. */
  constructor(reason, isFinal = true) {
    super(reason);
    this.reason = reason;
    this.isFinal = isFinal;
  }
}

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

/** What keys verify here, each the one that its kind says. */
const ALGORITHMS = Object.freeze(['ES256', 'RS256']);

const DEFAULTS = {
  drawbridge: null, issuer: null, client_id: null, clients: [], cookie: 'access_token', audience: null,
  proxy_secret: null, proxy_addresses: [], webhook_secrets: [], logout_algorithms: ALGORITHMS,
  sign_in: '/session/sign-in', identity: [], leeway: 30, keys_fresh: 300, keys_pause: 30, keys_stale: 3600,
};

function checked(given) {
  const settings = { ...DEFAULTS, ...given };
  const refuse = (sentence) => { throw new ConfigurationError(sentence); };
  for (const name of Object.keys(settings)) {
    if (!(name in DEFAULTS) && name !== 'source' && name !== 'origin') refuse(`${name} is no setting`);
  }
  if (!['proxy', 'cookie', 'session'].includes(settings.source)) refuse('source must be proxy, cookie or session');
  for (const name of ['origin', 'drawbridge', 'issuer']) {
    if (settings[name] === null) continue;
    let url;
    try { url = new URL(settings[name]); } catch { refuse(`${name} is no address`); }
    const isLoopback = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
    if (url.protocol !== 'https:' && !(isLoopback && url.protocol === 'http:')) {
      refuse(`${name} must be an https address (http on loopback), not ${settings[name]}`);
    }
    if (url.search || url.hash || url.username || settings[name].endsWith('/')) {
      refuse(`${name} must have no query, fragment, user or slash at its end`);
    }
  }
  if (settings.source === 'proxy' && !settings.proxy_secret && !settings.proxy_addresses.length) {
    refuse('X-Auth-* of anybody would be believed: set proxy_secret or proxy_addresses');
  }
  if (settings.proxy_secret !== null && settings.proxy_secret.length < 32) refuse('proxy_secret must have 32 characters or more');
  if (settings.source === 'cookie' && !(settings.issuer && settings.client_id)) {
    refuse('the source cookie needs issuer and client_id');
  }
  if (settings.webhook_secrets.some((secret) => secret.length < 32)) refuse('a webhook secret must have 32 characters or more');
  if (!settings.logout_algorithms.every((name) => ALGORITHMS.includes(name))) {
    refuse('logout_algorithms must be ES256, RS256 or both');
  }
  if (!settings.identity.every((name) => IDENTITY.includes(name))) {
    refuse('identity must hold nothing but name, email and groups');
  }
  if (settings.identity.length && settings.source === 'cookie') {
    refuse('an access token does not say identity: the source must be proxy or session');
  }
  if (settings.identity.length && settings.source === 'session' && settings.drawbridge === null) {
    refuse("identity with the source session needs drawbridge: /auth/check is not at the website's origin");
  }
  if (!(settings.leeway >= 0 && settings.leeway <= 60)) refuse('leeway must be 0 to 60 seconds');
  return Object.defineProperty(settings, SHOWN, { value: () => {
    const { proxy_secret, webhook_secrets, ...shown } = settings;
    return shown;
  } });
}

function addresses(texts) {
  const list = new BlockList();
  for (const text of texts) {
    const [address, bits, more] = text.split('/');
    const family = isIP(address);
    const longest = family === 4 ? 32 : 128;
    // Number('') is 0, and a network of no bits is everybody.
    if (!family || more !== undefined || (bits !== undefined && !(/^[0-9]{1,3}$/.test(bits) && Number(bits) <= longest))) {
      throw new ConfigurationError(`proxy_addresses: ${text} is no address`);
    }
    list.addSubnet(address, Number(bits ?? longest), `ipv${family}`);
  }
  return list;
}

/**
 * Drawbridge's public keys: used for five minutes, and fetched for an unknown `kid` at most every half minute. While there
 * are none to do with, they are asked for as soon as after any failure.
 */
class Keys {
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

function readKeys(body) {
  const members = jsonObject(body).keys;
  if (!Array.isArray(members) || members.length > 100) throw new Refused('malformed');
  const found = new Map();
  for (const jwk of members) {
    const key = readKey(jwk);
    if (key && !found.has(jwk.kid)) found.set(jwk.kid, key);
  }
  return found;
}

/** A key's kind says the one algorithm that it verifies. */
function readKey(jwk) {
  if (!jwk || typeof jwk.kid !== 'string' || (jwk.use ?? 'sig') !== 'sig') return null;
  const make = (members) => createPublicKey({ format: 'jwk', key: members });
  try {
    if (jwk.kty === 'EC' && jwk.crv === 'P-256' && (jwk.alg ?? 'ES256') === 'ES256') {
      return { algorithm: 'ES256', key: make({ kty: 'EC', crv: 'P-256', x: jwk.x, y: jwk.y }) };
    }
    if (jwk.kty === 'RSA' && (jwk.alg ?? 'RS256') === 'RS256') {
      const key = make({ kty: 'RSA', n: jwk.n, e: jwk.e });
      const { modulusLength } = key.asymmetricKeyDetails;
      return modulusLength >= 2048 && modulusLength <= 8192 ? { algorithm: 'RS256', key } : null;
    }
  } catch {
    return null;
  }
  return null;
}

function decode(text) {
  const data = Buffer.from(text, 'base64url');
  // Two texts must not stand for the same bytes, and Buffer passes over what does not belong.
  if (data.toString('base64url') !== text) throw new Refused('malformed');
  return data;
}

function jsonObject(data) {
  let value;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data));
  } catch {
    throw new Refused('malformed');
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Refused('malformed');
  return value;
}

/** The claims of a token that one of the keys signed. Algorithm and type are ours to say (RFC 8725). */
async function verified(text, type, algorithms, keys, now) {
  const parts = text.length <= 8192 ? text.split('.') : [];
  if (parts.length !== 3) throw new Refused('malformed');
  const header = jsonObject(decode(parts[0]));
  const claims = jsonObject(decode(parts[1]));
  const signature = decode(parts[2]);
  if (Object.hasOwn(header, 'crit')) throw new Refused('malformed');
  if (!algorithms.includes(header.alg)) throw new Refused('algorithm');
  if (typeof header.typ !== 'string' || header.typ.toLowerCase().replace(/^application\//, '') !== type) throw new Refused('type');
  if (typeof header.kid !== 'string') throw new Refused('unknown_key');
  const { algorithm, key } = await keys.key(header.kid, now);
  if (algorithm !== header.alg) throw new Refused('algorithm');
  const signed = Buffer.from(`${parts[0]}.${parts[1]}`);
  const how = algorithm === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' } : key;
  if ((algorithm === 'ES256' && signature.length !== 64) || !verify('sha256', signed, how, signature)) throw new Refused('signature');
  return claims;
}

function check(claims, issuer, accepted, now, leeway) {
  if (claims.iss !== issuer) throw new Refused('issuer');
  if (!(Array.isArray(claims.aud) ? claims.aud : [claims.aud]).some((one) => accepted.includes(one))) throw new Refused('audience');
  if (!isTime(claims.exp) || !isTime(claims.iat) || !isTime(claims.nbf ?? 0)) throw new Refused('claims');
  if (now >= claims.exp + leeway) throw new Refused('expired');
  if (Math.max(claims.iat, claims.nbf ?? 0) > now + leeway) throw new Refused('not_yet_valid');
}

const isText = (value) => typeof value === 'string' && value.length > 0 && value.length <= 1024;
const isTime = (value) => Number.isSafeInteger(value) && value >= 0;

/** In a time that tells neither where nor how long. */
function same(one, other) {
  const digest = (text) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Drawbridge percent-encodes whatever is not visible ASCII. */
function decoded(value) {
  if (!/^(?:[\x21-\x24\x26-\x7e]|%[0-9A-Fa-f]{2})*$/.test(value)) return null;
  try { return decodeURIComponent(value); } catch { return null; }
}

/**
 * Whether Drawbridge can have set it (RFC 6265 §4.1.1). Nothing else is sent on: a question that fails by what one visitor
 * sends would count as an outage for all.
 */
const isCookie = (value) => /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,8192}$/.test(value);

/** As `encodeURIComponent`, and with the marks that it leaves. */
const encoded = (text) => encodeURIComponent(text)
  .replace(/[!'()*]/g, (mark) => '%' + mark.charCodeAt(0).toString(16).toUpperCase());

/** A path of this website; not `//elsewhere` nor `/\elsewhere`, which browsers read as another host. */
export const isReturnTarget = (target) => /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,2047}$/.test(target);

/** The paths of cookies that a browser sends to this target (RFC 6265 §5.1.4), the shortest first. */
function cookiePaths(target) {
  const paths = ['/'];
  if (!isReturnTarget(target)) return paths;
  const [path] = target.split('?', 1);
  for (let end = 2; end <= Math.min(path.length, LONGEST_PATH); end += 1) {
    if (path[end - 1] === ';') break;
    // Both /a and /a/ are paths of cookies that /a/b gets.
    if (end === path.length || path[end] === '/' || path[end - 1] === '/') paths.push(path.slice(0, end));
  }
  return paths;
}

/** Those for which a website beside this one can set a cookie that comes here. */
function cookieDomains(host) {
  const labels = host.split('.');
  return /^[0-9]+$/.test(labels.at(-1)) ? [] : labels.slice(1).map((_, at) => labels.slice(at).join('.'));
}

/** Without spaces and tabs at both ends. A regular expression would begin anew at each space of a long row. */
function trimmed(text) {
  let [start, end] = [0, text.length];
  while (start < end && ' \t'.includes(text[start])) start += 1;
  while (end > start && ' \t'.includes(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

/** What is asked of a request. `headers` are pairs, as they came; `target` is path and query, not decoded. */
export class Request {
  constructor(method, target, headers, peer = '') {
    Object.assign(this, { method, target, headers, peer });
  }

  /** Of node:http: `rawHeaders` are the only ones that were not joined, and Express leaves the target in `originalUrl`. */
  static of(incoming) {
    const headers = [];
    for (let i = 0; i < incoming.rawHeaders.length; i += 2) headers.push([incoming.rawHeaders[i], incoming.rawHeaders[i + 1]]);
    return new Request(incoming.method, incoming.originalUrl ?? incoming.url, headers, incoming.socket?.remoteAddress ?? '');
  }

  /** Header fields hold cookies and the proxy's secret. */
  [SHOWN]() {
    const { headers, ...shown } = this;
    return shown;
  }

  values(name) {
    return this.headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
  }

  cookies(name) {
    return this.values('cookie').flatMap((line) => line.split(';'))
      .map(trimmed).filter((pair) => pair.startsWith(name + '='))
      .map((pair) => pair.slice(name.length + 1));
  }

  /** Whether somebody looks: a script has no use for a sign-in page. */
  get isPage() {
    if (this.method !== 'GET' && this.method !== 'HEAD') return false;
    const mode = this.values('sec-fetch-mode');
    const destination = this.values('sec-fetch-dest');
    if (mode.length || destination.length) return mode.join() === 'navigate' && destination.join() === 'document';
    return this.values('accept').some((value) => value.toLowerCase().includes('text/html'));
  }
}

const noIdentity = () => ({ name: null, email: null, groups: [] });
const answer = (status, headers, body = '') => ({ status, headers, body });
const said = (status, result) => answer(
  status, [['Content-Type', 'application/json'], ['Cache-Control', 'no-store']], JSON.stringify({ result }));
const refusal = (challenge, error) => answer(
  401, [['WWW-Authenticate', challenge], ['Cache-Control', 'no-store'], ['Content-Type', 'application/json']], JSON.stringify({ error }));
const away = () => answer(503, [['Retry-After', '5'], ['Cache-Control', 'no-store']]);

/** One website. Keep one for the process. */
export class Site {
  #keys;
  #proxies;
  #ours;
  /** When Drawbridge failed last, in seconds; null while it is not away. */
  #failed = null;
  /** Answers of 500 and above in a row; no answer at all counts for as many as are an outage. */
  #bad = 0;
  #isProbing = false;
  /** Names of the notices that this process handles now. */
  #inHand = new Set();

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
    // Keys remember themselves when they were asked for in vain, and for longer.
    this.#keys = new Keys(this.settings, (...question) => this.#question(...question), () => this.now());
    this.#proxies = addresses(this.settings.proxy_addresses);
    this.#ours = [this.settings.client_id, ...this.settings.clients].filter(Boolean);
  }

  /** `{user}` or `{user: null, reason}`: `missing` is a visitor, anything else deserves a line in the log. */
  async identify(request) {
    if (request.values(QUESTION_FIELD.toLowerCase()).length) throw new Unavailable('this website is asked in place of Drawbridge');
    const source = { proxy: this.#fromProxy, cookie: this.#fromCookie, session: this.#fromSession }[this.settings.source];
    try {
      return { user: await source.call(this, request) };
    } catch (error) {
      if (error instanceof Refused) return { user: null, reason: error.reason };
      throw error;
    }
  }

  #question(path, headers) {
    return this.fetch(path, { ...headers, [QUESTION_FIELD]: '1' });
  }

  /** Asks Drawbridge. After a failure nobody waits for it for two seconds, and then one at a time, until it answers. */
  async #ask(path, headers) {
    const isProbe = this.#failed !== null;
    if (isProbe) {
      const since = this.now() - this.#failed;
      // A clock that was set back keeps nobody away.
      if (this.#isProbing || (since >= 0 && since < OUTAGE_PAUSE)) throw new Unavailable('Drawbridge did not answer just now');
      this.#isProbing = true;
    }
    let counts = OUTAGE_ANSWERS;
    try {
      const found = await this.#question(path, headers);
      counts = found.status >= 500 ? 1 : 0;
      return found;
    } finally {
      this.#bad = counts ? this.#bad + counts : 0;
      this.#failed = this.#bad >= OUTAGE_ANSWERS ? this.now() : null;
      if (isProbe) this.#isProbing = false;
    }
  }

  async #fromProxy(request) {
    for (const [name] of request.headers) {
      // CGI, WSGI and PHP read X_Auth_Subject as X-Auth-Subject: nobody honest sends it.
      const usual = name.toLowerCase().replaceAll('_', '-');
      if (name.includes('_') && (usual.startsWith('x-auth-') || usual.startsWith(PROXY_FIELD))) throw new Refused('underscore');
    }
    if (!this.#isFromProxy(request)) throw new Refused('not_from_proxy');
    const [subject, session, acr] = ['x-auth-subject', 'x-auth-session', 'x-auth-acr'].map((name) => field(request, name));
    if (subject === null) throw new Refused('missing');
    if (session === null) throw new Refused('malformed');
    await this.#refuseEnded(session);
    return { subject, session, acr, amr: [], auth_time: null, ...this.#identity(request) };
  }

  /** As far as the setting wants it. What it does not want, a proxy need not take away from visitors. */
  #identity(said) {
    const wants = (name) => this.settings.identity.includes(name);
    return {
      name: wants('name') ? field(said, 'x-auth-name') : null,
      email: wants('email') ? field(said, 'x-auth-email') : null,
      groups: wants('groups') ? list(said, 'x-auth-groups') : [],
    };
  }

  #isFromProxy(request) {
    let holds = true;
    if (this.settings.proxy_secret) {
      const sent = request.values(PROXY_FIELD);
      holds = sent.length === 1 && same(sent[0], this.settings.proxy_secret);
    }
    if (this.settings.proxy_addresses.length) {
      const peer = request.peer.replace(/^::ffff:(?=\d+\.)/i, '');
      const family = isIP(peer);
      holds = holds && family !== 0 && this.#proxies.check(peer, `ipv${family}`);
    }
    return holds;
  }

  async #fromCookie(request) {
    try {
      return await this.#fromToken(request);
    } catch (error) {
      // A sign-in on Drawbridge's own page sets the other cookie, whatever the profile, and a token that has run out stays
      // beside it (contract §6). It is asked about alone: Drawbridge knows tokens that are not for us.
      const [secret, ...others] = request.cookies(SESSION_COOKIE);
      if (!(error instanceof Refused) || !isCookie(secret ?? '') || others.length) throw error;
      try {
        return await this.#asked(`${SESSION_COOKIE}=${secret}`);
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
    const now = this.now();
    const { issuer, audience, leeway } = this.settings;
    const claims = await verified(accessToken, 'at+jwt', ALGORITHMS, this.#keys, now);
    check(claims, issuer, [audience ?? issuer], now, leeway);
    if (!this.#ours.includes(claims.client_id)) throw new Refused('client');
    // One that is bound to a key is no cookie's (RFC 9449 §7).
    if (Object.hasOwn(claims, 'cnf')) throw new Refused('bound');
    const { sub: subject, sid: session, acr = null, amr = [], auth_time = null } = claims;
    // A machine's token has no session, and is nobody's.
    if (!isText(subject) || !isText(session) || !(acr === null || isText(acr))
        || !(auth_time === null || isTime(auth_time))
        || !(Array.isArray(amr) && amr.every((item) => typeof item === 'string'))) throw new Refused('claims');
    await this.#refuseEnded(session);
    // Which sessions ended before then is not known any more.
    if (claims.iat <= (this.ended.forgotten ?? 0) - LONGEST_TOKEN + leeway) throw new Refused('ended');
    return { subject, session, acr, amr, auth_time, ...noIdentity() };
  }

  async #refuseEnded(session) {
    if (await this.ended.has(session, this.now())) throw new Refused('ended');
  }

  async #fromSession(request) {
    const cookie = this.#ownCookies(request);
    if (!cookie) throw new Refused('missing');
    return this.#asked(cookie);
  }

  /** Whom Drawbridge knows by its own cookies. */
  async #asked(cookie) {
    const { status, body } = await this.#ask('/session', { Cookie: cookie });
    if (status !== 200) throw new Unavailable(`/session answers ${status}`);
    let session;
    try { session = jsonObject(body); } catch { throw new Unavailable('/session does not answer with JSON'); }
    if (session.authenticated !== true) throw new Refused('missing');
    const { sub: subject, acr = null, amr } = session;
    if (!isText(subject) || !(acr === null || isText(acr))) throw new Unavailable('/session answers with something else');
    const time = Date.parse(session.auth_time ?? '');
    const identity = this.settings.identity.length ? await this.#askedIdentity(cookie, subject) : noIdentity();
    return {
      subject, session: null, acr, amr: amr ?? [], auth_time: Number.isNaN(time) ? null : Math.floor(time / 1000), ...identity,
    };
  }

  async #askedIdentity(cookie, subject) {
    const { status, headers } = await this.#ask(`/auth/check?identity=${this.settings.identity.join(',')}`, { Cookie: cookie });
    // It ended since the first question.
    if (status === 401) throw new Refused('missing');
    if (status !== 200) throw new Unavailable(`/auth/check answers ${status}`);
    return ofCheck(headers, (said) => (field(said, 'x-auth-subject') === subject ? this.#identity(said) : null));
  }

  /**
   * Drawbridge's own cookies of the request, as one field; for a user whom it is about, those that say so. Two of a name
   * count as none (contract §6): a website beside ours can plant a token, and must not keep the session's cookie from being
   * heard.
   */
  #ownCookies(request, user = null) {
    const isBySession = this.settings.source === 'cookie' && user !== null && user.session === null;
    const found = (isBySession ? [SESSION_COOKIE] : [SESSION_COOKIE, this.settings.cookie])
      .map((name) => [name, request.cookies(name)]);
    const cookies = found.filter(([, values]) => values.length === 1 && isCookie(values[0]));
    if (!cookies.length && found.some(([, values]) => values.length > 1)) throw new Refused('repeated');
    return cookies.map(([name, [value]]) => `${name}=${value}`).join('; ');
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
      return await this.#stepUp(request, user, acr, max_age);
    } catch (error) {
      if (error instanceof Unavailable) return { answer: away() };
      if (error instanceof Refused) return { answer: refusal('Bearer', 'invalid_token') };
      throw error;
    }
  }

  #signIn(request) {
    if (!request.isPage) return refusal('Bearer', 'invalid_token');
    const wanted = isReturnTarget(request.target) ? `?redirect=${encoded(request.target)}` : '';
    return answer(303, [['Location', this.settings.sign_in + wanted], ['Cache-Control', 'no-store'], ['Vary', 'Cookie'],
      ...this.#takenCookies(request).map((line) => ['Set-Cookie', line])]);
  }

  /**
   * Takes cookies away that came twice, from wherever they can have been set: a sign-in adds one, and would lead back here
   * for ever.
   */
  #takenCookies(request) {
    if (this.settings.source === 'proxy') return [];
    const domains = ['', ...cookieDomains(new URL(this.settings.origin).hostname)];
    const places = cookiePaths(request.target).flatMap((path) =>
      domains.map((domain) => `Path=${path}${domain && `; Domain=${domain}`}`));
    const lines = [];
    let room = MOST_TAKING;
    for (const name of [SESSION_COOKIE, this.settings.cookie]) {
      if (request.cookies(name).length < 2) continue;
      // Browsers refuse every other line about a name of this kind.
      for (const place of name.startsWith('__Host-') ? ['Path=/'] : places) {
        const line = `${name}=; Max-Age=0; ${place}; Secure; HttpOnly`;
        room -= 2 * line.length + PARTITIONED.length;
        if (room < 0) return lines;
        lines.push(line, line + PARTITIONED);
      }
    }
    return lines;
  }

  /** Drawbridge knows the way to a stronger sign-in and back; it also knows of one that our token is older than. */
  async #stepUp(request, user, acr, maxAge) {
    let challenge = 'Bearer error="insufficient_user_authentication"';
    const query = [];
    if (acr.length) {
      challenge += `, acr_values="${acr.join(' ')}"`;
      query.push(`acr=${encoded(acr.join(' '))}`);
    }
    if (maxAge !== null) {
      challenge += `, max_age="${maxAge}"`;
      query.push(`max_age=${maxAge}`);
    }
    const no = { answer: refusal(challenge, 'insufficient_user_authentication') };
    // Cookies are not the proxy's word: two of a name change nothing.
    if (this.settings.source === 'proxy') return no;
    const cookie = this.#ownCookies(request, user);
    if (!cookie) return no;
    const headers = { Cookie: cookie };
    if (request.isPage) {
      query.push(`redirect=${isReturnTarget(request.target) ? encoded(request.target) : ''}`);
      Object.assign(headers, { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' });
    }
    const { status, headers: pairs } = await this.#ask(`/auth/check?${query.join('&')}`, headers);
    if (status === 200) {
      if (ofCheck(pairs, (said) => field(said, 'x-auth-subject')) === user.subject) return { user };
      // Token and session are two users'. Whose page it would be nobody can say, and signing out ends both.
      return request.isPage ? { answer: answer(303, [['Location', SIGN_OUT], ['Cache-Control', 'no-store']]) } : no;
    }
    if (status === 302 && new Request('GET', '/', pairs).values('location')[0]) {
      const passed = pairs.filter(([name]) => ['location', 'set-cookie'].includes(name.toLowerCase()));
      return { answer: answer(303, [...passed, ['Cache-Control', 'no-store']]) };
    }
    if (status === 401 || status === 403) return no;
    throw new Unavailable(`/auth/check answers ${status}`);
  }

  /** A signed notice, docs/webhooks.md: each is handled once; 200 tells Drawbridge that it need not come again. */
  async webhook(body, signature, handle = async () => {}) {
    const now = this.now();
    return this.#once(async () => {
      const event = this.#notice(body, signature ?? '', now);
      const session = event.type.endsWith('session.ended') ? event.sid : null;
      return { name: event.id, until: now + NOTICE_MEMORY, session, event };
    }, handle, now);
  }

  /** OpenID Connect Back-Channel Logout 1.0, §2.6. `form` is the body of the POST. */
  async backchannelLogout(form, handle = async () => {}) {
    const now = this.now();
    return this.#once(async () => {
      const claims = await this.#logout(form, now);
      return { name: `logout:${claims.jti}`, until: claims.exp + this.settings.leeway, session: claims.sid, event: claims };
    }, handle, now);
  }

  async #once(read, handle, now) {
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
    if (await this.notices.has(notice.name, now)) return said(200, 'known');
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
    if (isText(notice.session) && await this.ended.add(notice.session, now + LONGEST_TOKEN, now) === 'full') {
      return said(503, 'full');
    }
    const inHand = `in hand ${notice.name}`;
    // A full store cannot tell a repeat. Handlers have to bear one anyway; not to hear of an end they need not.
    if (await this.notices.add(inHand, now + IN_HAND, now) === 'known') return said(503, 'in_hand');
    try {
      // Handled since the look before: by another process, or while this one waited for the store.
      if (await this.notices.has(notice.name, now)) return said(200, 'known');
      await handle(notice.event);
      if (await this.notices.add(notice.name, notice.until, now) === 'full') {
        // It takes the place of its being in hand: both are asked for at once, lest another takes the place between.
        await Promise.all([this.notices.forget(inHand), this.notices.add(notice.name, notice.until, now)]);
      }
    } finally {
      await this.notices.forget(inHand);
    }
    return said(200, 'handled');
  }

  #notice(body, signature, now) {
    if (body.length > 65536) throw new Refused('too_large');
    const parts = signature.split(',').filter((part) => part.includes('='))
      .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]);
    const times = parts.filter(([name]) => name === 't').map(([, value]) => value);
    if (times.length !== 1 || !/^[0-9]{1,12}$/.test(times[0])) throw new Refused('signature');
    let holds = false;
    for (const secret of this.settings.webhook_secrets) {
      const expected = createHmac('sha256', secret).update(`${times[0]}.`).update(body).digest('hex');
      // All are compared, so that the time does not tell which one fits.
      for (const [name, value] of parts) holds = (name === 'v1' && same(value, expected)) || holds;
    }
    if (!holds) throw new Refused('signature');
    if (Math.abs(now - Number(times[0])) > 300) throw new Refused('stale');
    const event = jsonObject(body);
    if (!isText(event.id) || !isText(event.type)) throw new Refused('malformed');
    if (this.settings.client_id !== null && !this.#ours.includes(event.client_id)) throw new Refused('client');
    return event;
  }

  async #logout(form, now) {
    const tokens = new URLSearchParams(form.toString()).getAll('logout_token');
    const { issuer, client_id, logout_algorithms, leeway } = this.settings;
    if (tokens.length !== 1 || !issuer || !client_id) throw new Refused('malformed');
    const claims = await verified(tokens[0], 'logout+jwt', logout_algorithms, this.#keys, now);
    check(claims, issuer, this.#ours, now, leeway);
    const event = claims.events?.[LOGOUT_EVENT];
    if (!event || typeof event !== 'object' || Array.isArray(event) || Object.hasOwn(claims, 'nonce')) throw new Refused('claims');
    if (!isText(claims.sid) || !isText(claims.jti)) throw new Refused('claims');
    return claims;
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

  /** For node:http and Express: the POST of a webhook (`kind` "webhook") or of a back-channel logout ("logout"). */
  receiver(kind, handle) {
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

/** A member that is misspelt or of another kind would demand nothing. */
function checkDemand(demand) {
  const refuse = (sentence) => { throw new ConfigurationError(sentence); };
  if (demand === null || typeof demand !== 'object') refuse('a demand has the members acr and max_age');
  const { acr = [], max_age = null, ...others } = demand;
  for (const name of Object.keys(others)) refuse(`a demand has acr and max_age, and no ${name}`);
  // `includes` would find a user's value within a longer text.
  if (typeof acr === 'string') refuse(`acr must hold the values that will do, such as ['${acr}']`);
  if (!Array.isArray(acr) || !acr.every(isText)) refuse('acr must be an array of texts');
  if (max_age !== null && !isTime(max_age)) refuse('max_age must be a whole number of seconds');
}

/** As Drawbridge itself judges (contract §6): two factors are one as well, and any other value is only itself. */
function isStrongEnough(acr, wanted) {
  return wanted.includes(acr) || (acr === 'aal2' && wanted.includes('aal1'));
}

/** What an answer of /auth/check says. One that names nobody, or cannot be read, is not Drawbridge's. */
function ofCheck(headers, read) {
  try {
    const found = read(new Request('GET', '/', headers));
    if (found !== null) return found;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  throw new Unavailable('/auth/check answers with something else');
}

function field(request, name) {
  const values = request.values(name);
  if (!values.length || (values.length === 1 && values[0] === '')) return null;
  // Servers join repeated fields with a comma, so a comma may be a second voice.
  if (values.length > 1 || values[0].includes(',')) throw new Refused('repeated');
  const text = decoded(values[0]);
  if (text === null || !isText(text)) throw new Refused('malformed');
  return text;
}

/** Commas are between the texts; within one they are encoded. */
function list(request, name) {
  const values = request.values(name);
  if (!values.length || (values.length === 1 && values[0] === '')) return [];
  if (values.length > 1) throw new Refused('repeated');
  const texts = values[0].split(',').map(decoded);
  if (!texts.every(isText)) throw new Refused('malformed');
  return texts;
}

export function send(response, { status, headers, body }) {
  const joined = {};
  for (const [name, value] of headers) (joined[name.toLowerCase()] ??= []).push(value);
  // setHeader replaces, and what the website set before stays its own.
  joined['set-cookie']?.unshift(...[response.getHeader('set-cookie') ?? []].flat());
  for (const [name, values] of Object.entries(joined)) response.setHeader(name, values.length > 1 ? values : values[0]);
  response.statusCode = status;
  response.end(body);
}

/** `{body}` of at most 64 KiB, `{isTooLarge}`, or neither when it broke off. Never rejects: nobody may wait for it. */
const bodyOf = (incoming, kind) => new Promise((done) => {
  const chunks = [];
  let length = 0;
  if (incoming.readableEnded) return done(readBefore(incoming, kind));
  incoming.on('data', (chunk) => {
    length += chunk.length;
    if (length <= 65536) return chunks.push(chunk);
    incoming.pause();
    return done({ isTooLarge: true });
  });
  incoming.on('end', () => done({ body: Buffer.concat(chunks) }));
  for (const end of ['error', 'close']) incoming.on(end, () => done({}));
});

/**
 * What a parser that was there first left of the body: its bytes, or the one field of a logout token's form. A webhook's
 * signature is over bytes, which no parsed object gives back.
 */
function readBefore({ rawBody, body }, kind) {
  const bytes = [rawBody, body].find((value) => Buffer.isBuffer(value));
  if (bytes) return bytes.length > 65536 ? { isTooLarge: true } : { body: bytes };
  const token = kind === 'logout' ? body?.logout_token : undefined;
  return typeof token === 'string' ? { body: Buffer.from(new URLSearchParams({ logout_token: token }).toString()) } : { isEaten: true };
}

/** Asks Drawbridge: no redirects, three seconds for all of it, 256 KiB. */
function fetcher(settings) {
  const base = new URL(settings.drawbridge ?? settings.origin);
  // Drawbridge knows its origins by Host: the browser's, not the name of the machine.
  const host = new URL(settings.origin).host;
  return (path, headers) => new Promise((resolve, reject) => {
    const fail = (error) => { request.destroy(); reject(new Unavailable(`Drawbridge does not answer: ${error.message}`)); };
    const prefix = base.pathname.replace(/\/$/, '');
    const request = (base.protocol === 'https:' ? https : http).request(
      // On a connection of its own: one that Drawbridge closes just then would look like an outage.
      base, { path: prefix + path, headers: { Host: host, ...headers }, servername: base.hostname, agent: false }, (response) => {
        const chunks = [];
        let length = 0;
        response.on('data', (chunk) => {
          length += chunk.length;
          if (length > 262_144) fail(new Error('too large'));
          chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () => {
          clearTimeout(timer);
          const pairs = [];
          for (let i = 0; i < response.rawHeaders.length; i += 2) pairs.push([response.rawHeaders[i], response.rawHeaders[i + 1]]);
          if (!response.complete) return fail(new Error('cut off'));
          resolve({ status: response.statusCode, headers: pairs, body: Buffer.concat(chunks) });
        });
      });
    const timer = setTimeout(() => fail(new Error('too slow')), 3000);
    request.on('error', (error) => { clearTimeout(timer); fail(error); });
    request.end();
  });
}
