// What a website says of itself: the table of docs/middleware.md.

import { inspect } from 'node:util';
import { ConfigurationError } from './errors.mjs';
import { ALGORITHMS } from './jws.mjs';

/** What /auth/check says beyond the subject, where it is asked. */
const IDENTITY = ['name', 'email', 'groups'];

const DEFAULTS = {
  drawbridge: null, issuer: null, client_id: null, clients: [], cookie: 'access_token', audience: null,
  proxy_secret: null, proxy_addresses: [], hosts: [], webhook_secrets: [], logout_algorithms: ALGORITHMS,
  sign_in: '/session/sign-in', identity: [], leeway: 30, keys_fresh: 300, keys_pause: 30, keys_stale: 3600,
};

const refuse = (sentence) => { throw new ConfigurationError(sentence); };

const isFilled = (value) => typeof value === 'string' && value !== '';

/** What a setting has to be. Another kind would be counted with: seconds that are text move an expiry by centuries. */
const KINDS = [
  [['origin', 'cookie', 'sign_in'], isFilled, 'a text'],
  [['drawbridge', 'issuer', 'client_id', 'audience', 'proxy_secret'], (value) => value === null || isFilled(value), 'a text'],
  [['clients', 'proxy_addresses', 'hosts', 'webhook_secrets', 'logout_algorithms', 'identity'],
    (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'), 'an array of texts'],
  [['leeway', 'keys_fresh', 'keys_pause', 'keys_stale'], (value) => Number.isFinite(value) && value >= 0, 'a number of seconds'],
];

/** The settings with what they leave out. Those that cannot work, or would believe anybody, are refused. */
export function checked(given) {
  const settings = completed(given);
  if (!['proxy', 'cookie', 'session'].includes(settings.source)) refuse('source must be proxy, cookie or session');
  for (const [names, holds, kind] of KINDS) {
    for (const name of names) if (!holds(settings[name])) refuse(`${name} must be ${kind}`);
  }
  for (const name of ['origin', 'drawbridge', 'issuer']) {
    if (settings[name] !== null) checkAddress(name, settings[name]);
  }
  if (settings.source === 'proxy' && !settings.proxy_secret && !settings.proxy_addresses.length) {
    refuse('X-Auth-* of anybody would be believed: set proxy_secret or proxy_addresses');
  }
  if (settings.proxy_secret !== null && settings.proxy_secret.length < 32) {
    refuse('proxy_secret must have 32 characters or more');
  }
  if (settings.source === 'cookie' && !(settings.issuer && settings.client_id)) {
    refuse('the source cookie needs issuer and client_id');
  }
  if (settings.webhook_secrets.some((secret) => secret.length < 32)) {
    refuse('a webhook secret must have 32 characters or more');
  }
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
  if (!settings.hosts.every((host) => /^[\w.:[\]-]+$/.test(host))) {
    refuse('hosts must be a list of names as in Host, such as www.example.com or localhost:8443');
  }
  if (!(settings.leeway >= 0 && settings.leeway <= 60)) refuse('leeway must be 0 to 60 seconds');
  // What `console.log` shows, in place of its members.
  return Object.defineProperty(settings, inspect.custom, { value: () => {
    const { proxy_secret, webhook_secrets, ...shown } = settings;
    return shown;
  } });
}

/** What a receiver of this kind of notice needs. A 400 for want of it would be final: a logout token never comes again. */
export function checkReceiver(kind, { webhook_secrets, issuer, client_id }) {
  if (kind === 'webhook') {
    if (!webhook_secrets.length) refuse('webhooks need webhook_secrets');
  } else if (!(issuer && client_id)) {
    refuse('logout tokens need issuer and client_id');
  }
}

/** What is `undefined`, as a variable of the environment that is not set, is left out. */
function completed(given) {
  const settings = { ...DEFAULTS };
  for (const [name, value] of Object.entries(given)) {
    if (!(name in DEFAULTS) && name !== 'source' && name !== 'origin') refuse(`${name} is no setting`);
    if (value !== undefined) settings[name] = value;
    // Left out, it would let in whoever has the proxy's address.
    else if (name === 'proxy_secret') refuse('proxy_secret is undefined: set it, or leave it out');
  }
  // So is one that is set to nothing: no notice names the client "".
  if (settings.client_id === '') settings.client_id = null;
  return settings;
}

function checkAddress(name, text) {
  let url;
  try { url = new URL(text); } catch { refuse(`${name} is no address`); }
  const isLoopback = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(isLoopback && url.protocol === 'http:')) {
    refuse(`${name} must be an https address (http on loopback), not ${text}`);
  }
  if (url.search || url.hash || url.username || text.endsWith('/')) {
    refuse(`${name} must have no query, fragment, user or slash at its end`);
  }
}

/** What Host may say, by one spelling: `plain` of it has to be among `hosts`. */
export function hostsOf({ origin, hosts }) {
  // In small letters, and without the port that the origin's scheme has anyway.
  const standard = new URL(origin).protocol === 'https:' ? /:443$/ : /:80$/;
  const plain = (host) => host.toLowerCase().replace(standard, '');
  return { plain, hosts: new Set([new URL(origin).host, ...hosts].map(plain)) };
}

/** Every client that is this website's. */
export const oursOf = ({ client_id, clients }) => [client_id, ...clients].filter(Boolean);
