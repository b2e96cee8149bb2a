// What a website answers instead of its page.

const escaped = (text) => text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);

/** What a person reads whose form came without a sign-in. No script and no style: a website's own policy may forbid them. */
const unsentPage = (signIn) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Not signed in</title>
<h1>You are not signed in</h1>
<p>What you sent was not accepted. <a href="${escaped(signIn)}" target="_blank" rel="noopener">Sign in</a> \
(this opens a new tab), then come back to this tab, go back to the form and send it again.</p>
`;

export const answer = (status, headers, body = '') => ({ status, headers, body });

/** To Drawbridge, of a notice. */
export const said = (status, result) => answer(
  status, [['Content-Type', 'application/json'], ['Cache-Control', 'no-store']], JSON.stringify({ result }));

export const refusal = (challenge, error) => answer(
  401, [['WWW-Authenticate', challenge], ['Cache-Control', 'no-store'], ['Content-Type', 'application/json']],
  JSON.stringify({ error }));

/** Of a form: a redirect would lose what somebody has typed, so the way to the sign-in is beside it. */
export const unsent = (signIn, more) => answer(
  401, [['WWW-Authenticate', 'Bearer'], ['Cache-Control', 'no-store'], ['Content-Type', 'text/html; charset=utf-8'], ...more],
  unsentPage(signIn));

export const away = () => answer(503, [['Retry-After', '5'], ['Cache-Control', 'no-store']]);

export function send(response, { status, headers, body }) {
  const joined = {};
  for (const [name, value] of headers) (joined[name.toLowerCase()] ??= []).push(value);
  // setHeader replaces, and what the website set before stays its own.
  joined['set-cookie']?.unshift(...[response.getHeader('set-cookie') ?? []].flat());
  for (const [name, values] of Object.entries(joined)) response.setHeader(name, values.length > 1 ? values : values[0]);
  response.statusCode = status;
  response.end(body);
}
