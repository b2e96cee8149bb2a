// Who is signed in as header fields say it: X-Auth-* of a proxy, or of an answer of /auth/check.

import { isText } from './claims.mjs';
import { Refused, Unavailable } from './errors.mjs';
import { decoded } from './percent-encoding.mjs';
import { Request } from './request.mjs';

export const noIdentity = () => ({ name: null, email: null, groups: [] });

/** As far as the setting wants it. What it does not want, a proxy need not take away from visitors. */
export function identityOf(said, wanted) {
  const wants = (name) => wanted.includes(name);
  return {
    name: wants('name') ? field(said, 'x-auth-name') : null,
    email: wants('email') ? field(said, 'x-auth-email') : null,
    groups: wants('groups') ? list(said, 'x-auth-groups') : [],
  };
}

/** What an answer of /auth/check says. One that names nobody, or cannot be read, is not Drawbridge's. */
export function ofCheck(headers, read) {
  try {
    const found = read(new Request('GET', '/', headers));
    if (found !== null) return found;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  throw new Unavailable('/auth/check answers with something else');
}

export function field(request, name) {
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
