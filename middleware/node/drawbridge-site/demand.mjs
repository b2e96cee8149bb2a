// What a page demands beyond a sign-in.

import { answer, refusal } from './answers.mjs';
import { isText, isTime } from './claims.mjs';
import { ownCookies } from './cookies.mjs';
import { ConfigurationError, Unavailable } from './errors.mjs';
import { field, ofCheck } from './fields.mjs';
import { encoded } from './percent-encoding.mjs';
import { Request, isReturnTarget } from './request.mjs';

/** Signing out is Drawbridge's own page: a form of the same origin ends the session and takes its cookies away. */
export const SIGN_OUT_FORM = '<form method="post" action="/session/logout"><button>Sign out</button></form>';
const SIGN_OUT = '/session/logout';

/** A member that is misspelt or of another kind would demand nothing. */
export function checkDemand(demand) {
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
export function isStrongEnough(acr, wanted) {
  return wanted.includes(acr) || (acr === 'aal2' && wanted.includes('aal1'));
}

/** Drawbridge knows the way to a stronger sign-in and back; it also knows of one that our token is older than. */
export async function stepUp(request, user, { acr, maxAge }, settings, questions) {
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
  if (settings.source === 'proxy') return no;
  const cookie = ownCookies(request, settings, user);
  if (!cookie) return no;
  const headers = { Cookie: cookie };
  if (request.isPage) {
    query.push(`redirect=${isReturnTarget(request.target) ? encoded(request.target) : ''}`);
    Object.assign(headers, { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' });
  }
  const { status, headers: pairs } = await questions.ask(`/auth/check?${query.join('&')}`, headers);
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
