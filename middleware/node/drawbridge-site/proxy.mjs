// The user whom a proxy names that has asked /auth/check.

import { BlockList, isIP } from 'node:net';
import { same } from './comparing.mjs';
import { ConfigurationError, Refused } from './errors.mjs';
import { field, noIdentity } from './fields.mjs';
import { hostsOf } from './settings.mjs';

const PROXY_FIELD = 'x-drawbridge-proxy';

export class TrustedProxy {
  #settings;
  #addresses;
  #own;

  constructor(settings) {
    this.#settings = settings;
    this.#addresses = addresses(settings.proxy_addresses);
    this.#own = hostsOf(settings);
  }

  /** Without what is said of the person's identity. */
  userOf(request) {
    for (const [name] of request.headers) {
      // CGI, WSGI and PHP read X_Auth_Subject as X-Auth-Subject: nobody honest sends it.
      const usual = name.toLowerCase().replaceAll('_', '-');
      if (name.includes('_') && (usual.startsWith('x-auth-') || usual.startsWith(PROXY_FIELD))) {
        throw new Refused('underscore');
      }
    }
    if (!this.#isFromProxy(request)) throw new Refused('not_from_proxy');
    const [subject, session, acr] = ['x-auth-subject', 'x-auth-session', 'x-auth-acr'].map((name) => field(request, name));
    if (subject === null) throw new Refused('missing');
    if (!this.#isOwnHost(request)) throw new Refused('host');
    if (session === null) throw new Refused('malformed');
    return { subject, session, acr, amr: [], auth_time: null, ...noIdentity() };
  }

  /** The proxy asked about the website that Host names, and visitors choose it. HTTP/2 has it under another name. */
  #isOwnHost(request) {
    const said = [...request.values('host'), ...request.values(':authority')].map(this.#own.plain);
    return new Set(said).size === 1 && this.#own.hosts.has(said[0]);
  }

  #isFromProxy(request) {
    let holds = true;
    if (this.#settings.proxy_secret) {
      const sent = request.values(PROXY_FIELD);
      holds = sent.length === 1 && same(sent[0], this.#settings.proxy_secret);
    }
    if (this.#settings.proxy_addresses.length) {
      const peer = request.peer.replace(/^::ffff:(?=\d+\.)/i, '');
      const family = isIP(peer);
      holds = holds && family !== 0 && this.#addresses.check(peer, `ipv${family}`);
    }
    return holds;
  }
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
