// What claims have to be.

import { Refused } from './errors.mjs';

export function check(claims, issuer, accepted, now, leeway) {
  if (claims.iss !== issuer) throw new Refused('issuer');
  const audiences = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
  if (!audiences.some((one) => accepted.includes(one))) throw new Refused('audience');
  if (!isTime(claims.exp) || !isTime(claims.iat) || !isTime(claims.nbf ?? 0)) throw new Refused('claims');
  if (now >= claims.exp + leeway) throw new Refused('expired');
  if (Math.max(claims.iat, claims.nbf ?? 0) > now + leeway) throw new Refused('not_yet_valid');
}

export const isText = (value) => typeof value === 'string' && value.length > 0 && value.length <= 1024;
export const isTime = (value) => Number.isSafeInteger(value) && value >= 0;
