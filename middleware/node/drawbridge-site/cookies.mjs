// Cookies of Drawbridge: those that it is asked with, and those that came twice.

import { Refused } from './errors.mjs';
import { isReturnTarget } from './request.mjs';

export const SESSION_COOKIE = '__Host-drawbridge_session';

// How many bytes of Set-Cookie take cookies away that came twice, and how long their paths may be: an answer's header fields
// have to fit a proxy's buffer, which is 4096 bytes by nginx's default.
const MOST_TAKING = 2048;
const LONGEST_PATH = 100;
// To a browser a cookie with it is another one than that without, of the same name, domain and path.
const PARTITIONED = '; Partitioned';

/** The session's cookie of the request, alone, as a field; null where there is none, or more than one. */
export function sessionCookie(request) {
  const [secret, ...others] = request.cookies(SESSION_COOKIE);
  return isCookie(secret ?? '') && !others.length ? `${SESSION_COOKIE}=${secret}` : null;
}

/**
 * Drawbridge's own cookies of the request, as one field; for a user whom it is about, those that say so. Two of a name
 * count as none (contract §6): a website beside ours can plant a token, and must not keep the session's cookie from being
 * heard.
 */
export function ownCookies(request, settings, user = null) {
  const isBySession = settings.source === 'cookie' && user !== null && user.session === null;
  const found = (isBySession ? [SESSION_COOKIE] : [SESSION_COOKIE, settings.cookie])
    .map((name) => [name, request.cookies(name)]);
  const cookies = found.filter(([, values]) => values.length === 1 && isCookie(values[0]));
  if (!cookies.length && found.some(([, values]) => values.length > 1)) throw new Refused('repeated');
  return cookies.map(([name, [value]]) => `${name}=${value}`).join('; ');
}

/**
 * Takes cookies away that came twice, from wherever they can have been set: a sign-in adds one, and would lead back here
 * for ever.
 */
export function takenCookies(request, settings) {
  if (settings.source === 'proxy') return [];
  const domains = ['', ...cookieDomains(new URL(settings.origin).hostname)];
  const places = cookiePaths(request.target).flatMap((path) =>
    domains.map((domain) => `Path=${path}${domain && `; Domain=${domain}`}`));
  const lines = [];
  let room = MOST_TAKING;
  for (const name of [SESSION_COOKIE, settings.cookie]) {
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

/**
 * Whether Drawbridge can have set it (RFC 6265 §4.1.1). Nothing else is sent on: a question that fails by what one visitor
 * sends would count as an outage for all.
 */
const isCookie = (value) => /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,8192}$/.test(value);

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
