// Who is signed in by Drawbridge at a website: for Express, for its like, and for plain node:http. No dependency.

export { send } from './drawbridge-site/answers.mjs';
export { SESSION_COOKIE } from './drawbridge-site/cookies.mjs';
export { SIGN_OUT_FORM } from './drawbridge-site/demand.mjs';
export { ConfigurationError, Refused, Unavailable } from './drawbridge-site/errors.mjs';
export { Memory } from './drawbridge-site/memory.mjs';
export { Request, isReturnTarget } from './drawbridge-site/request.mjs';
export { Site } from './drawbridge-site/site.mjs';
