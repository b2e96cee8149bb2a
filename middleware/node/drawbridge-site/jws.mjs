// Signed tokens, and the keys that verify them. What is signed with anything else is refused.

import { createPublicKey, verify } from 'node:crypto';
import { Refused } from './errors.mjs';

/** What keys verify here, each the one that its kind says. */
export const ALGORITHMS = Object.freeze(['ES256', 'RS256']);

export function readKeys(body) {
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

export function jsonObject(data) {
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
export async function verified(text, type, algorithms, keys, now) {
  const parts = text.length <= 8192 ? text.split('.') : [];
  if (parts.length !== 3) throw new Refused('malformed');
  const header = jsonObject(decode(parts[0]));
  const claims = jsonObject(decode(parts[1]));
  const signature = decode(parts[2]);
  if (Object.hasOwn(header, 'crit')) throw new Refused('malformed');
  if (!algorithms.includes(header.alg)) throw new Refused('algorithm');
  if (typeof header.typ !== 'string' || header.typ.toLowerCase().replace(/^application\//, '') !== type) {
    throw new Refused('type');
  }
  if (typeof header.kid !== 'string') throw new Refused('unknown_key');
  const { algorithm, key } = await keys.key(header.kid, now);
  if (algorithm !== header.alg) throw new Refused('algorithm');
  const signed = Buffer.from(`${parts[0]}.${parts[1]}`);
  const how = algorithm === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' } : key;
  if ((algorithm === 'ES256' && signature.length !== 64) || !verify('sha256', signed, how, signature)) {
    throw new Refused('signature');
  }
  return claims;
}
