// What is asked of a request.

import { inspect } from 'node:util';

/** A path of this website; not `//elsewhere` nor `/\elsewhere`, which browsers read as another host. */
export const isReturnTarget = (target) => /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,2047}$/.test(target);

/** Header fields as node:http keeps them, in pairs of name and value. */
export function pairsOf(rawHeaders) {
  const pairs = [];
  for (let i = 0; i < rawHeaders.length; i += 2) pairs.push([rawHeaders[i], rawHeaders[i + 1]]);
  return pairs;
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
    const target = incoming.originalUrl ?? incoming.url;
    return new Request(incoming.method, target, pairsOf(incoming.rawHeaders), incoming.socket?.remoteAddress ?? '');
  }

  /** Header fields hold cookies and the proxy's secret. */
  [inspect.custom]() {
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
    return (this.method === 'GET' || this.method === 'HEAD') && this.#isNavigation;
  }

  /** Whether somebody sends a form, and looks at what comes back. */
  get isForm() {
    return this.method === 'POST' && this.#isNavigation;
  }

  get #isNavigation() {
    const mode = this.values('sec-fetch-mode');
    const destination = this.values('sec-fetch-dest');
    if (mode.length || destination.length) return mode.join() === 'navigate' && destination.join() === 'document';
    return this.values('accept').some((value) => value.toLowerCase().includes('text/html'));
  }
}
