// The shared table, and what is Node's own: `node --test`.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { ConfigurationError, Memory, Refused, Request, Site, Unavailable, send } from '../drawbridge-site.mjs';

const table = JSON.parse(readFileSync(new URL('../../cases/cases.json', import.meta.url)));

function provider(serves = table.serves) {
  const one = { serves, asked: 0 };
  one.fetch = async () => {
    one.asked += 1;
    if (one.serves === 'down') throw new Unavailable('down');
    if (one.serves === 'garbage') return { status: 200, headers: [], body: Buffer.from('<html>') };
    return { status: 200, headers: [], body: Buffer.from(JSON.stringify({ keys: one.serves.map((name) => table.keys[name]) })) };
  };
  return one;
}

const site = (changes = {}, now = table.now, fetch = provider().fetch) =>
  new Site({ source: 'cookie', ...table.settings, ...changes }, { now: () => now, fetch });
const cookie = (token) => [['Cookie', `vagov_access_token=${token}`]];
/** What each question to Drawbridge carries. */
const MARK = { 'Drawbridge-Question': '1' };

async function outcome(call) {
  try {
    return (await call()).subject;
  } catch (error) {
    if (error instanceof Refused) return error.reason;
    if (error instanceof Unavailable) return 'unavailable';
    throw error;
  }
}

for (const one of table.tokens) {
  test(`token: ${one.id}`, async () => {
    let got;
    try {
      const { subject, session, acr, amr, auth_time } = await site({}, one.now).userOf(one.token);
      got = { subject, session, acr, amr, auth_time };
    } catch (error) {
      got = { refused: error.reason ?? String(error) };
    }
    assert.deepEqual(got, one.expect);
  });
}

for (const one of table.proxies) {
  if (one.claimed) continue; // The address is always the socket's.
  test(`proxy: ${one.id}`, async () => {
    const { user, reason } = await site({ source: 'proxy', ...one.settings }).identify(new Request('GET', '/', one.headers, one.peer));
    assert.deepEqual(user ? { subject: user.subject, session: user.session, acr: user.acr } : { refused: reason }, one.expect);
  });
}

for (const one of table.cookies) {
  test(`cookie: ${one.id}`, async () => {
    const keys = provider().fetch;
    const website = site({}, table.now, async (path, fields) => {
      if (path !== '/session') return keys(path, fields);
      assert.deepEqual(fields, { Cookie: '__Host-drawbridge_session=opaque', ...MARK });
      if (!one.session) throw new Unavailable('not to be asked');
      return { status: 200, headers: [], body: Buffer.from(JSON.stringify(one.session)) };
    });
    const headers = [...one.cookie.map((line) => ['Cookie', line]), ...(one.headers ?? [])];
    const { user, reason } = await website.identify(new Request('GET', '/', headers)).catch((error) => {
      if (error instanceof Unavailable) return { reason: 'unavailable' };
      throw error;
    });
    assert.deepEqual([user?.subject, reason], [one.expect, one.refused]);
  });
}

const VISITOR = new Request('GET', '/', [['Cookie', '__Host-drawbridge_session=opaque']]);
const ALICE = Buffer.from('{"authenticated":true,"sub":"alice"}');

for (const one of table.identities) {
  test(`identity: ${one.id}`, async () => {
    const headers = [['X-Auth-Subject', 'alice'], ['X-Auth-Session', 's-1'], ...one.headers];
    const secret = 'proxy-secret-of-the-tests-32-chars';
    const identity = async (website, request) => {
      const { user, reason } = await website.identify(request);
      return user ? { name: user.name, email: user.email, groups: user.groups } : { refused: reason };
    };
    const proxied = site({ source: 'proxy', proxy_secret: secret, identity: one.identity });
    assert.deepEqual(await identity(proxied, new Request('GET', '/', [['Host', 'www.example.com'], ['X-Drawbridge-Proxy', secret], ...headers])), one.expect);
    const asked = site({ source: 'session', identity: one.identity }, table.now, async (path, fields) => {
      assert.deepEqual(fields, { Cookie: '__Host-drawbridge_session=opaque', ...MARK });
      if (one.identity.length && path === `/auth/check?identity=${one.identity.join()}`) return { status: 200, headers, body: Buffer.alloc(0) };
      assert.equal(path, '/session');
      return { status: 200, headers: [], body: ALICE };
    });
    if (one.expect.refused) await assert.rejects(identity(asked, VISITOR), Unavailable);
    else assert.deepEqual(await identity(asked, VISITOR), one.expect);
  });
}

for (const one of table.identity_answers) {
  test(`identity asked for: ${one.id}`, async () => {
    const website = site({ source: 'session', identity: ['name'] }, table.now, async (path) => path === '/session'
      ? { status: 200, headers: [], body: ALICE } : { status: one.status, headers: one.headers, body: Buffer.alloc(0) });
    const { user, reason } = await website.identify(VISITOR).catch((error) => {
      if (error instanceof Unavailable) return { reason: 'unavailable' };
      throw error;
    });
    assert.equal(user?.subject ?? reason, one.expect);
  });
}

for (const one of table.outages) {
  test(`outage: ${one.id}`, async () => {
    let asked = 0;
    let now;
    const website = site({ source: 'session' }, now, async (path) => {
      asked += 1;
      const status = path === '/session' ? now.session : now.check;
      if (!status) throw new Unavailable('down');
      return { status, headers: [['X-Auth-Subject', 'alice']], body: ALICE };
    });
    website.now = () => now.now;
    for (now of one.steps) {
      const { user, answer } = await website.guard(VISITOR, { acr: now.acr });
      assert.deepEqual([user?.subject ?? { 503: 'unavailable' }[answer.status], asked], [now.expect, now.asked], String(now.now));
    }
  });
}

test('after an outage one at a time asks', async () => {
  let asked = 0;
  let goOn;
  const website = site({ source: 'session' }, table.now, async () => {
    asked += 1;
    if (asked === 1) throw new Unavailable('down');
    await new Promise((done) => { goOn = done; });
    return { status: 200, headers: [], body: ALICE };
  });
  assert.equal((await website.guard(VISITOR)).answer.status, 503);
  website.now = () => table.now + 2;
  const probe = website.guard(VISITOR);
  assert.deepEqual([(await website.guard(VISITOR)).answer.status, asked], [503, 2]);
  goOn();
  assert.equal((await probe).user.subject, 'alice');
  const next = website.guard(VISITOR);
  goOn();
  assert.deepEqual([(await next).user.subject, asked], ['alice', 3]);
});

for (const one of table.rotation) {
  test(`rotation: ${one.id}`, async () => {
    const drawbridge = provider();
    const website = site({}, 0, drawbridge.fetch);
    for (const step of one.steps) {
      website.now = () => step.now;
      drawbridge.serves = step.serves;
      assert.deepEqual([await outcome(() => website.userOf(step.token)), drawbridge.asked], [step.expect, step.fetches], String(step.now));
    }
  });
}

for (const one of table.returns) {
  test(`return: ${one.id}`, async () => {
    const changes = one.sign_in ? { sign_in: one.sign_in } : {};
    const { answer } = await site(changes).guard(new Request(one.method, one.target, one.headers));
    const { status, location, challenge, type, cookies = [], body = answer.body } = one.expect;
    const headers = new Map(answer.headers);
    assert.deepEqual(
      [answer.status, headers.get('Location'), headers.get('WWW-Authenticate'), headers.get('Content-Type'), answer.body],
      [status, location, challenge, type, body]);
    assert.deepEqual(answer.headers.filter(([name]) => name === 'Set-Cookie').map(([, value]) => value), cookies);
  });
}

for (const one of table.demands) {
  test(`demand: ${one.id}`, async () => {
    const keys = provider().fetch;
    const website = site({}, one.now, async (path, headers) =>
      path.includes('check') ? { status: 401, headers: [], body: Buffer.alloc(0) } : keys(path, headers));
    const { user, answer } = await website.guard(new Request('GET', '/', cookie(one.token)), { acr: one.acr, max_age: one.max_age });
    if (user) assert.equal(user.subject, one.expect);
    else assert.deepEqual([answer.status, new Map(answer.headers).get('WWW-Authenticate')], [401, one.expect]);
  });
}

for (const one of table.proxy_demands) {
  test(`demand behind a proxy: ${one.id}`, async () => {
    const website = site({ source: 'proxy', proxy_secret: table.ended.proxy_secret }, table.now, async () => { throw new Unavailable('down'); });
    const { user, answer } = await website.guard(new Request('GET', '/', one.headers), { acr: one.acr });
    assert.equal(user?.subject ?? new Map(answer.headers).get('WWW-Authenticate') ?? answer.status, one.expect);
  });
}

for (const one of table.step_ups) {
  test(`step-up: ${one.id}`, async () => {
    const keys = provider().fetch;
    const asked = [];
    const website = site({ source: one.source }, table.now, async (path, fields) => {
      if (path === '/.well-known/jwks.json') return keys(path, fields);
      asked.push([path, fields.Cookie]);
      return path === '/session' ? { status: 200, headers: [], body: Buffer.from(JSON.stringify(one.session)) }
        : { ...one.check, body: Buffer.alloc(0) };
    });
    const headers = [...one.headers, ...one.cookie.map((line) => ['Cookie', line])];
    const { user, answer } = await website.guard(new Request('GET', one.target, headers), { acr: one.acr });
    const values = (name) => answer.headers.filter(([own]) => own === name).map(([, value]) => value);
    assert.deepEqual([user ? { user: user.subject }
      : { status: answer.status, location: values('Location')[0] ?? null, cookies: values('Set-Cookie') }, asked], [one.expect, one.asked]);
  });
}

for (const [kind, list] of [['webhook', table.webhooks], ['logout', table.logouts]]) {
  for (const one of list) {
    test(`${kind}: ${one.id}`, async () => {
      const website = site();
      let heard = 0;
      for (const step of one.steps) {
        website.now = () => step.now;
        const handle = async () => { heard += 1; };
        const answer = kind === 'webhook'
          ? await website.webhook(Buffer.from(step.body), step.header, handle)
          : await website.backchannelLogout(Buffer.from(step.form), handle);
        assert.deepEqual([answer.status, JSON.parse(answer.body).result], [step.status, step.expect]);
      }
      assert.equal(heard, one.steps.filter((step) => step.expect === 'handled').length);
    });
  }
}

test('an ended session is nobody\'s', async () => {
  const website = site();
  const { ended } = table;
  assert.equal(await outcome(() => website.userOf(ended.token)), 'alice');
  await website.webhook(Buffer.from(ended.webhook.body), ended.webhook.header);
  assert.equal(await outcome(() => website.userOf(ended.token)), 'ended');
  await website.backchannelLogout(Buffer.from(ended.logout.form));
  assert.equal(await outcome(() => website.userOf(ended.logged_out_token)), 'ended');
  assert.equal(await outcome(() => website.userOf(ended.other_token)), 'alice');
});

test("a session that ended stays nobody's for as long as its tokens may live", async () => {
  const website = site();
  const { webhook, lasting_token, late } = table.ended;
  await website.webhook(Buffer.from(webhook.body), webhook.header);
  website.now = () => late;
  assert.equal(await outcome(() => website.userOf(lasting_token)), 'ended');
});

test("what a proxy says of a session that ended is nobody's", async () => {
  const { webhook, proxy_secret, proxy_headers } = table.ended;
  const website = site({ source: 'proxy', proxy_secret });
  const look = () => website.identify(new Request('GET', '/', proxy_headers));
  assert.equal((await look()).user.subject, 'alice');
  await website.webhook(Buffer.from(webhook.body), webhook.header);
  assert.equal((await look()).reason, 'ended');
});

test('settings that would believe anybody are refused', () => {
  for (const changes of [{ source: 'proxy' }, { source: 'proxy', proxy_secret: 'short' }, { issuer: null }, { client_id: null },
    { source: 'else' }, { origin: 'http://www.example.com' }, { issuer: 'http://id.example.com' }, { webhook_secrets: ['short'] },
    { leeway: 600 }, { source: 'proxy', proxy_addresses: ['proxy'] }, { logout_algorithms: ['HS256'] },
    { drawbridge: 'http://drawbridge.internal:8080' }, { source: 'session', identity: ['phone'] }, { identity: ['name'] },
    { source: 'session', identity: ['name'], drawbridge: null },
    { hosts: ['https://www.example.com'] }, { hosts: 'www.example.com' }, { hosts: [''] },
    { proxy_secrets: 'a name that is spelt wrong' }]) {
    assert.throws(() => site(changes), ConfigurationError, JSON.stringify(changes));
  }
});

test('a setting that is undefined is as one left out, and a client that is empty as well', async () => {
  const needed = { source: 'session', origin: 'https://www.example.com' };
  const plain = new Site(needed).settings;
  for (const name of Object.keys(plain)) {
    const make = () => new Site({ ...needed, [name]: undefined }).settings[name];
    // Without the secret, whoever has the proxy's address would be let in.
    if (name in needed || name === 'proxy_secret') assert.throws(make, ConfigurationError, name);
    else assert.deepEqual(make(), plain[name], name);
  }
  const { body, header } = table.ended.webhook;
  for (const client_id of [undefined, '', null]) {
    const answer = await site({ source: 'session', client_id }).webhook(Buffer.from(body), header);
    assert.deepEqual([answer.status, JSON.parse(answer.body).result], [200, 'handled'], String(client_id));
  }
});

test('a receiver without the settings that it needs is an error, and refuses nothing', async () => {
  const { webhook, logout } = table.ended;
  const mute = site({ webhook_secrets: [] });
  assert.throws(() => mute.receiver('webhook'), ConfigurationError);
  await assert.rejects(mute.webhook(Buffer.from(webhook.body), webhook.header), ConfigurationError);
  for (const changes of [{ issuer: null }, { client_id: null }]) {
    const website = site({ source: 'session', ...changes });
    assert.throws(() => website.receiver('logout'), ConfigurationError, JSON.stringify(changes));
    await assert.rejects(website.backchannelLogout(Buffer.from(logout.form)), ConfigurationError, JSON.stringify(changes));
  }
});

test('a logout token comes again when keys cannot be had', async () => {
  for (const serves of ['down', 'garbage']) {
    const website = site({}, table.now, provider(serves).fetch);
    assert.equal((await website.backchannelLogout(Buffer.from(table.ended.logout.form))).status, 503, serves);
  }
});

test('a logout token is read from text and from bytes of any kind', async () => {
  const { form } = table.ended.logout;
  for (const given of [form, Buffer.from(form), new TextEncoder().encode(form), new URLSearchParams(form)]) {
    assert.equal((await site().backchannelLogout(given)).status, 200, given.constructor.name);
  }
});

test('a setting of another kind is refused', () => {
  const secret = 'a secret of 32 characters or more';
  for (const changes of [
    { origin: null }, { origin: new URL('https://www.example.com') }, { drawbridge: '' }, { issuer: 7 }, { client_id: ['web'] },
    { audience: '' }, { cookie: null }, { cookie: '' }, { sign_in: null }, { sign_in: '' }, { source: 'proxy', proxy_secret: 7 },
    { clients: null }, { clients: 'web-view' }, { clients: [undefined] }, { source: 'proxy', proxy_addresses: '10.0.0.1' },
    { source: 'proxy', proxy_addresses: [undefined] }, { hosts: [undefined] }, { webhook_secrets: secret },
    { webhook_secrets: [undefined] }, { logout_algorithms: 'ES256' }, { source: 'session', identity: 'name' },
    // Added to an expiry, a text makes it one of the distant future.
    { leeway: '30' }, { leeway: NaN }, { leeway: null }, { keys_fresh: '300' }, { keys_pause: NaN }, { keys_stale: -1 },
    { keys_stale: Infinity },
  ]) {
    assert.throws(() => site(changes), ConfigurationError, inspect(changes));
  }
});

test('an address of a proxy that is misspelt is refused, and lets nobody in', async () => {
  for (const text of ['10.0.0.1/', '10.0.0.0/0x0', '10.0.0.0/8/x', '10.0.0.0/8/', '10.0.0.0/ 8', '10.0.0.0/+8', '10.0.0.0/8.0',
    '10.0.0.0/1e1', '10.0.0.0/33', '10.0.0.0/-1', '2001:db8::/', '2001:db8::/129', '', '/8']) {
    assert.throws(() => site({ source: 'proxy', proxy_addresses: [text] }), ConfigurationError, text);
  }
  const headers = [['Host', 'www.example.com'], ['X-Auth-Subject', 'alice'], ['X-Auth-Session', 's-1']];
  for (const [text, peer] of [['10.0.0.1', '10.0.0.1'], ['10.0.0.0/32', '10.0.0.0'], ['0.0.0.0/0', '192.0.2.1'],
    ['2001:db8::/128', '2001:db8::']]) {
    const website = site({ source: 'proxy', proxy_addresses: [text] });
    assert.equal((await website.identify(new Request('GET', '/', headers, peer))).user.subject, 'alice', text);
  }
});

test('by HTTP/2 the host is the authority, and another one beside it is refused', async () => {
  const website = site({ source: 'proxy', proxy_addresses: ['127.0.0.1'] });
  const by = async (...hosts) => (await website.identify(new Request(
    'GET', '/', [...hosts, ['x-auth-subject', 'alice'], ['x-auth-session', 's-1']], '127.0.0.1'))).reason;
  const [own, other] = ['www.example.com', 'www.other.example'];
  assert.equal(await by([':authority', own]), undefined);
  assert.equal(await by([':authority', own], ['host', own.toUpperCase()]), undefined);
  assert.equal(await by([':authority', own], ['host', other]), 'host');
  assert.equal(await by([':authority', other], ['host', own]), 'host');
});

const turn = () => new Promise((done) => { setImmediate(done); });

/** As a store in Redis: each call is on its way for a while, one longer than another, and is atomic there. */
class Shared {
  #memory = new Memory();
  #calls = 0;

  async #after(act) {
    this.#calls += 3;
    for (let turns = this.#calls % 7; turns >= 0; turns -= 1) await turn();
    return act(this.#memory);
  }

  add(...what) { return this.#after((memory) => memory.add(...what)); }
  has(...what) { return this.#after((memory) => memory.has(...what)); }
  forget(...what) { return this.#after((memory) => memory.forget(...what)); }
}

test('a store that answers later is waited for', async () => {
  const { ended } = table;
  const [first, second] = [site(), site()];
  first.ended = second.ended = new Shared();
  first.notices = second.notices = new Shared();
  const heard = [];
  const result = async (website) => JSON.parse((await website.webhook(
    Buffer.from(ended.webhook.body), ended.webhook.header, (event) => { heard.push(event.id); })).body).result;
  assert.equal(await outcome(() => second.userOf(ended.token)), 'alice');
  assert.deepEqual([await result(first), await result(first), await result(second)], ['handled', 'known', 'known']);
  assert.equal(heard.length, 1);
  assert.equal(await outcome(() => second.userOf(ended.token)), 'ended');

  const proxied = site({ source: 'proxy', proxy_addresses: ['127.0.0.1'] });
  proxied.ended = new Shared();
  const headers = [['Host', 'www.example.com'], ['X-Auth-Subject', 'alice'], ['X-Auth-Session', 's-1']];
  const look = () => proxied.identify(new Request('GET', '/', headers, '127.0.0.1'));
  assert.equal((await look()).user.subject, 'alice');
  await proxied.ended.add('s-1', table.now + 1, table.now);
  assert.equal((await look()).reason, 'ended');
});

for (const [where, store] of [['of the process', () => new Memory()], ['in its last place', () => new Memory(1)],
  ['that answers later', () => new Shared()]]) {
  test(`of notices that come at once one is handled, by a store ${where}`, async () => {
    const { body, header } = table.webhooks[0].steps[0];
    const websites = [site(), site()];
    websites[0].notices = websites[1].notices = store();
    let heard = 0;
    const deliver = async (website) => JSON.parse(
      (await website.webhook(Buffer.from(body), header, async () => { heard += 1; })).body).result;
    const deliveries = [];
    for (let i = 0; i < 60; i += 1) {
      deliveries.push(deliver(websites[i % 2]));
      // They come between any two steps of one another: of promises first, then of the store's.
      await (i < 30 ? null : turn());
    }
    const results = await Promise.all(deliveries);
    assert.equal(heard, 1);
    assert.equal(results.filter((result) => result === 'handled').length, 1);
    for (const result of results) assert.ok(['handled', 'known', 'in_hand', 'full'].includes(result), result);
  });
}

test('a store that cannot be asked is no answer, and the notice comes again', async () => {
  const website = site();
  const fails = async () => { throw new Error('no store'); };
  const { webhook, token } = table.ended;
  const told = () => website.webhook(Buffer.from(webhook.body), webhook.header);
  website.ended = { add: fails, has: fails, forget: fails };
  await assert.rejects(website.userOf(token), /no store/);
  await assert.rejects(told(), /no store/);
  website.ended = new Shared();
  assert.equal(JSON.parse((await told()).body).result, 'handled');
});

test("a cookie that the website set stays beside Drawbridge's", async (context) => {
  const server = http.createServer((incoming, response) => {
    if (incoming.url !== '/none') response.setHeader('Set-Cookie', incoming.url === '/two' ? ['basket=1', 'seen=1'] : 'basket=1');
    send(response, { status: 303, headers: [['Location', '/sign-in'], ['Set-Cookie', 'a=b'], ['set-cookie', 'c=d']], body: '' });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  context.after(() => server.close());
  for (const [path, own] of [['/none', []], ['/one', ['basket=1']], ['/two', ['basket=1', 'seen=1']]]) {
    const response = await fetch(`http://127.0.0.1:${server.address().port}${path}`, { redirect: 'manual' });
    assert.deepEqual([response.headers.getSetCookie(), response.headers.get('location')], [[...own, 'a=b', 'c=d'], '/sign-in']);
  }
});

test('in a full memory the oldest makes room, and whose time is over is not forgotten early', () => {
  const memory = new Memory(2);
  assert.deepEqual([['a', 10], ['b', 11], ['c', 12], ['b', 20]].map(([name, until]) => memory.add(name, until, 0)),
    ['new', 'new', 'new', 'known']);
  assert.deepEqual([memory.has('a', 0), memory.has('b', 0), memory.forgotten], [false, true, 10]);
  assert.deepEqual([memory.add('d', 30, 15), memory.add('c', 30, 15), memory.forgotten], ['new', 'new', 10]);
  assert.equal(new Memory(0).add('a', 10, 0), 'full');
});

test('more ends than there is room for are handled, and tokens that are older than a forgotten one are nobody\'s', async () => {
  const { webhook, more, lasting_token, other_lasting_token, later_token } = table.ended;
  const website = site();
  website.ended = new Memory(2);
  const tell = async ({ body, header }) => JSON.parse((await website.webhook(Buffer.from(body), header)).body).result;
  assert.equal(await tell(webhook), 'handled');
  const found = [];
  for (const step of more.slice(0, 2)) {
    website.now = () => step.now;
    found.push(await tell(step));
    for (const token of [lasting_token, other_lasting_token, later_token]) found.push(await outcome(() => website.userOf(token)));
  }
  assert.deepEqual(found, ['handled', 'ended', 'alice', 'alice', 'handled', 'ended', 'ended', 'alice']);
});

test('while the ended sessions are full a notice comes again unhandled', async () => {
  const website = site();
  const { webhook, logout } = table.ended;
  let handled = 0;
  const handle = async () => { handled += 1; };
  website.ended = new Memory(0);
  for (const answer of [await website.webhook(Buffer.from(webhook.body), webhook.header, handle),
    await website.backchannelLogout(Buffer.from(logout.form), handle)]) {
    assert.deepEqual([answer.status, JSON.parse(answer.body).result], [503, 'full']);
  }
  website.ended = new Memory();
  assert.equal((await website.webhook(Buffer.from(webhook.body), webhook.header, handle)).status, 200);
  assert.equal(handled, 1);
});

test('while the notices are full an end counts and is handled, and those of others keep none away', async () => {
  const website = site();
  const { webhook, token } = table.ended;
  let heard = 0;
  const tell = async () => {
    const { status, body } = await website.webhook(Buffer.from(webhook.body), webhook.header, async () => { heard += 1; });
    return [status, JSON.parse(body).result, heard];
  };
  website.notices = new Memory(0);
  assert.deepEqual(await tell(), [200, 'handled', 1]);
  assert.equal(await outcome(() => website.userOf(token)), 'ended');
  // It cannot tell a repeat, which handlers have to bear.
  assert.deepEqual(await tell(), [200, 'handled', 2]);
  website.notices = new Memory(2);
  for (const name of ['a', 'b']) website.notices.add(name, table.now + 100, table.now);
  assert.deepEqual([await tell(), await tell()], [[200, 'handled', 3], [200, 'known', 3]]);
});

test('a session is ended before its notice is handled, also where that fails', async () => {
  const website = site();
  const { webhook, token } = table.ended;
  website.notices.add = () => { throw new Error('no store'); };
  await assert.rejects(website.webhook(Buffer.from(webhook.body), webhook.header), /no store/);
  assert.equal(await outcome(() => website.userOf(token)), 'ended');
});

test('while there are no keys to do with they are asked for two seconds after a failure, and else after half a minute', async () => {
  const drawbridge = provider('down');
  const website = site({}, 0, drawbridge.fetch);
  const { lasting_token: token } = table.ended;
  const at = async (seconds, serves) => {
    website.now = () => table.now + seconds;
    drawbridge.serves = serves;
    return [await outcome(() => website.userOf(token)), drawbridge.asked];
  };
  for (const [seconds, serves, ...expected] of [
    [0, 'down', 'unavailable', 1], [1, 'down', 'unavailable', 1], [2, 'down', 'unavailable', 2], [3, table.serves, 'unavailable', 2],
    [4, table.serves, 'alice', 3], [304, 'down', 'alice', 4], [333, 'down', 'alice', 4], [3604, 'down', 'alice', 5],
    [3606, 'down', 'unavailable', 6], [3608, table.serves, 'alice', 7],
  ]) assert.deepEqual(await at(seconds, serves), expected, String(seconds));
});

test('what was handled is remembered in the last place that there is', async () => {
  const website = site();
  const { body, header } = table.webhooks[0].steps[0];
  website.notices = new Memory(1);
  for (const expected of ['handled', 'known']) {
    assert.equal(JSON.parse((await website.webhook(Buffer.from(body), header)).body).result, expected);
  }
});

test('while one asks for keys the others use those they have', async () => {
  const drawbridge = provider();
  let goOn;
  const website = site({}, table.now, async (path) => {
    if (website.now() > table.now) await new Promise((done) => { goOn = done; });
    return drawbridge.fetch(path);
  });
  const user = () => outcome(() => website.userOf(table.ended.token));
  assert.equal(await user(), 'alice');
  website.now = () => table.now + 300;
  const first = user();
  assert.equal(await Promise.race([user(), new Promise((done) => setTimeout(done, 5000, 'waits'))]), 'alice');
  goOn();
  assert.deepEqual([await first, drawbridge.asked], ['alice', 2]);
});

test('after a Drawbridge that hung nobody who waited for keys asks again, and nobody else for two seconds', async () => {
  let [asked, goOn] = [0];
  const website = site({}, table.now, async () => {
    asked += 1;
    await new Promise((done) => { goOn = done; });
    throw new Unavailable('down');
  });
  const user = () => outcome(() => website.userOf(table.ended.token));
  const at = (seconds) => { website.now = () => table.now + seconds; };
  const visits = [user()];
  at(2);
  visits.push(user());
  at(3);
  goOn();
  assert.deepEqual([await Promise.all(visits), asked], [['unavailable', 'unavailable'], 1]);
  at(4);
  assert.deepEqual([await user(), asked], ['unavailable', 1]);
  at(5);
  visits.push(user());
  goOn();
  assert.deepEqual([await visits.pop(), asked], ['unavailable', 2]);
});

test('many requests with unknown keys ask once', async () => {
  const drawbridge = provider([]);
  const website = site({}, table.now, drawbridge.fetch);
  await Promise.all(Array.from({ length: 20 }, () => outcome(() => website.userOf(table.ended.token))));
  assert.equal(drawbridge.asked, 1);
});

test('a notice whose handling failed comes again', async () => {
  const website = site();
  const step = table.webhooks[0].steps[0];
  await assert.rejects(website.webhook(Buffer.from(step.body), step.header, async () => { throw new Error('failed'); }));
  assert.equal(JSON.parse((await website.webhook(Buffer.from(step.body), step.header)).body).result, 'handled');
});

test('a repeat of a notice in hand is sent again, for the handler may fail', async () => {
  const website = site();
  const step = table.webhooks[0].steps[0];
  const send = (handle) => website.webhook(Buffer.from(step.body), step.header, handle);
  let meanwhile;
  await assert.rejects(send(async () => {
    meanwhile = await send();
    throw new Error('failed');
  }));
  assert.deepEqual([meanwhile.status, JSON.parse(meanwhile.body).result], [503, 'in_hand']);
  assert.equal(JSON.parse((await send()).body).result, 'handled');
  assert.equal(JSON.parse((await send()).body).result, 'known');
});

test('a session that cannot be asked is neither in nor out', async () => {
  const asked = [];
  const ask = async (status, body) => site({ source: 'session' }, table.now, async (...question) => {
    asked.push(question);
    return { status, headers: [], body: Buffer.from(body) };
  }).guard(new Request('GET', '/', [['Cookie', 'shop=1; __Host-drawbridge_session=abc'], ['X-Auth-Subject', 'bob']]));
  for (const [status, body] of [[500, ''], [200, '<html>'], [200, '{"authenticated":true}'], [303, '']]) {
    assert.equal((await ask(status, body)).answer.status, 503);
  }
  assert.equal((await ask(200, '{"authenticated":"true","sub":"alice"}')).answer.status, 401);
  assert.equal((await ask(200, '{"authenticated":true,"sub":"alice"}')).user.subject, 'alice');
  assert.deepEqual(asked[0], ['/session', { Cookie: '__Host-drawbridge_session=abc', ...MARK }]);
});

test("step-up takes Drawbridge's way there and never another user", async () => {
  const answers = [[302, [['Location', '/sign-in?redirect=%2Fx'], ['Set-Cookie', 'a=b'], ['Server', 'x']]],
    [200, [['X-Auth-Subject', 'alice']]], [200, [['X-Auth-Subject', 'bob']]]];
  const got = [];
  for (const [status, headers] of answers) {
    const keys = provider().fetch;
    const website = site({}, table.now, async (path, fields) => path === '/auth/check?acr=aal9&max_age=5&redirect=%2Fx'
      ? { status, headers, body: Buffer.alloc(0) } : keys(path, fields));
    const request = new Request('GET', '/x', [...cookie(table.ended.token), ['Accept', 'text/html']]);
    got.push(await website.guard(request, { acr: ['aal9'], max_age: 5 }));
  }
  assert.deepEqual([got[0].answer.status, got[0].answer.headers.slice(0, 2)],
    [303, [['Location', '/sign-in?redirect=%2Fx'], ['Set-Cookie', 'a=b']]]);
  assert.equal(got[1].user.subject, 'alice');
  assert.deepEqual([got[2].answer.status, got[2].answer.headers[0]], [303, ['Location', '/session/logout']]);
});

test('a cookie field that is all spaces holds nobody up', () => {
  const request = new Request('GET', '/', [['Cookie', `a${' '.repeat(16_000)}b; vagov_access_token=x \t`]]);
  const begun = Date.now();
  for (let i = 0; i < 20; i += 1) assert.deepEqual(request.cookies('vagov_access_token'), ['x']);
  assert.ok(Date.now() - begun < 1000, `${Date.now() - begun} ms`);
});

test('an answer that leads elsewhere, is too long or never ends is no answer, and nobody is asked elsewhere', async (context) => {
  let elsewhere = 0;
  const listening = async (handler) => {
    const server = http.createServer(handler);
    await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
    context.after(() => { server.closeAllConnections?.(); server.close(); });
    return `http://127.0.0.1:${server.address().port}`;
  };
  const other = await listening((_, response) => { elsewhere += 1; response.end(ALICE); });
  const long = (length) => `{"authenticated":true,"sub":"alice","x":"${'x'.repeat(length - 43)}"}`;
  const ways = {
    redirect: (response) => response.writeHead(302, { Location: `${other}/session` }).end(ALICE),
    longest: (response) => response.end(long(262_144)),
    'too long': (response) => response.end(long(262_145)),
    'cut off': (response) => {
      response.writeHead(200, { 'Content-Length': ALICE.length + 1 });
      response.write(ALICE, () => response.destroy());
    },
    'never ends': (response) => { response.write(ALICE); },
  };
  for (const [way, answer] of Object.entries(ways)) {
    const website = new Site({ source: 'session', origin: await listening((_, response) => { answer(response); }) });
    const begun = Date.now();
    const { user, answer: refused } = await website.guard(VISITOR);
    assert.equal(user?.subject ?? refused.status, way === 'longest' ? 'alice' : 503, way);
    assert.ok(Date.now() - begun < 8000, `${way}: ${Date.now() - begun} ms`);
  }
  assert.equal(elsewhere, 0);
});

test('a connection that Drawbridge closed meanwhile is no outage', async () => {
  // As Node 19 and later have it; what was asked on one connection is not asked on it again.
  const before = http.globalAgent;
  http.globalAgent = new http.Agent({ keepAlive: true });
  const served = new WeakSet();
  const server = http.createServer((incoming, response) => {
    if (served.has(incoming.socket)) return incoming.socket.destroy();
    served.add(incoming.socket);
    response.end('{"authenticated":true,"sub":"alice"}');
  });
  await new Promise((listening) => { server.listen(0, '127.0.0.1', listening); });
  try {
    const website = new Site({ source: 'session', origin: `http://127.0.0.1:${server.address().port}` });
    for (let i = 0; i < 3; i += 1) assert.equal((await website.guard(VISITOR)).user?.subject, 'alice');
  } finally {
    http.globalAgent.destroy();
    http.globalAgent = before;
    server.closeAllConnections?.();
    server.close();
  }
});

test('a page that fails is told to the log, and one that had begun harms nobody else', async () => {
  const website = site({ source: 'session' }, table.now, async () => ({ status: 200, headers: [], body: ALICE }));
  const page = (incoming, response) => {
    if (incoming.url.endsWith('/begun')) response.write('begun');
    throw new Error('of the page');
  };
  const server = http.createServer(website.guarded((incoming, response) => (incoming.url.startsWith('/later')
    ? turn().then(() => page(incoming, response)) : page(incoming, response))));
  await new Promise((listening) => { server.listen(0, '127.0.0.1', listening); });
  const [log, unhandled, logged] = [console.error, [], []];
  const note = (error) => unhandled.push(error);
  console.error = (...words) => logged.push(words.at(-1).message);
  process.on('unhandledRejection', note);
  const get = (path) => new Promise((done) => {
    http.get({ port: server.address().port, path, agent: false, headers: { Cookie: '__Host-drawbridge_session=opaque' } }, (response) => {
      response.resume().on('end', () => done(response.statusCode)).on('error', () => done('cut off'));
    }).on('error', () => done('cut off')).setTimeout(2000, function late() { this.destroy(); });
  });
  try {
    assert.deepEqual([await get('/'), await get('/begun'), await get('/later'), await get('/later/begun')], [500, 'cut off', 500, 'cut off']);
    assert.deepEqual([logged, unhandled], [Array(4).fill('of the page'), []]);
  } finally {
    console.error = log;
    process.off('unhandledRejection', note);
    server.closeAllConnections?.();
    server.close();
  }
});

test('a demand that is misspelt or of another kind is refused', async () => {
  const alice = new Request('GET', '/', cookie(table.ended.token));
  for (const demand of [
    // `includes` would look for the user's acr within it: `aal` is there in `aal2`.
    { acr: 'x-aal2' }, { acr: null }, { acr: { 0: 'aal2' } }, { acr: [2] }, { acr: [''] }, { acrs: ['aal9'] }, { acr_values: ['aal9'] },
    { maxAge: 5 }, { max_age: '5' }, { max_age: -1 }, { max_age: NaN }, { max_age: 1.5 }, { max_age: false }, ['aal9'], 'aal9', null,
  ]) {
    await assert.rejects(site().guard(alice, demand), ConfigurationError, inspect(demand));
    assert.throws(() => site().middleware(demand), ConfigurationError, inspect(demand));
    assert.throws(() => site().guarded(() => {}, demand), ConfigurationError, inspect(demand));
    assert.throws(() => site().upgraded(() => {}, demand), ConfigurationError, inspect(demand));
  }
  for (const demand of [{ acr: ['aal2'] }, { acr: [], max_age: null }, { acr: undefined, max_age: undefined }, { max_age: 3600 }]) {
    assert.equal((await site().guard(alice, demand)).user.subject, 'alice');
  }
});

test('what is printed of a site, its settings and requests has no secret', () => {
  const website = site({ source: 'proxy', proxy_secret: "a proxy's secret of 32 characters",
    webhook_secrets: ["a webhook's secret of 32 characters"] });
  const request = new Request('GET', '/a', [['X-Drawbridge-Proxy', "a proxy's secret of 32 characters"], ['Cookie', 'token=secret']]);
  for (const object of [website, website.settings, request]) {
    for (const printed of [inspect(object, { depth: 9 }), inspect(object, { depth: 9, showHidden: true })]) {
      assert.doesNotMatch(printed, /secret of|token=/);
    }
  }
  assert.match(inspect(website), /https:\/\/www\.example\.com/);
  assert.match(inspect(request), /\/a/);
  // They can be copied as ever.
  assert.equal({ ...website.settings }.proxy_secret, "a proxy's secret of 32 characters");
});

test('a session cookie that came twice steps nobody up', async () => {
  const [keys, asked] = [provider().fetch, []];
  const website = site({}, table.now, async (path, fields) => {
    if (path === '/.well-known/jwks.json') return keys(path, fields);
    asked.push(fields.Cookie);
    return { status: 401, headers: [], body: Buffer.alloc(0) };
  });
  const twice = ['Cookie', '__Host-drawbridge_session=a; __Host-drawbridge_session=b'];
  const { answer } = await website.guard(new Request('GET', '/', [...cookie(table.ended.token), twice]), { acr: ['aal9'] });
  assert.deepEqual([answer.status, asked], [401, [`vagov_access_token=${table.ended.token}`]]);
});

test('a notice that breaks off, which anybody can send, harms nobody', { timeout: 10000 }, async () => {
  const website = site();
  const receive = website.receiver('webhook');
  let ended;
  const first = new Promise((done) => { ended = done; });
  const server = http.createServer((incoming, response) => { ended(receive(incoming, response)); });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const connection = net.connect(server.address().port, '127.0.0.1');
  connection.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc', () => connection.destroy());
  // Rejected, it would end the process: nobody waits for what a handler of node:http gives.
  await first;
  server.close();
});

test('a notice whose body a parser has read is taken from what the parser left, else it comes again', { timeout: 10000 }, async (t) => {
  const logged = t.mock.method(console, 'error', () => {});
  const [hook, logout] = [table.webhooks[0].steps[0], table.logouts[0].steps[0]];
  const form = (bytes) => Object.fromEntries(new URLSearchParams(bytes.toString()));
  for (const [kind, { header, ...step }, left, expected] of [
    ['webhook', hook, (bytes) => ({ rawBody: bytes, body: JSON.parse(bytes) }), [200, 'handled']],
    ['webhook', hook, (bytes) => ({ body: bytes }), [200, 'handled']],
    ['webhook', hook, (bytes) => ({ body: JSON.parse(bytes) }), [500, 'failed']],
    ['webhook', hook, () => ({ body: {} }), [500, 'failed']],
    ['logout', logout, (bytes) => ({ body: form(bytes) }), [200, 'handled']],
    ['logout', logout, (bytes) => ({ rawBody: bytes }), [200, 'handled']],
    ['logout', logout, () => ({ body: {} }), [500, 'failed']],
    ['logout', logout, (bytes) => ({ body: { logout_token: [form(bytes).logout_token, 'x'] } }), [500, 'failed']],
    ['logout', logout, () => ({}), [500, 'failed']],
  ]) {
    const receive = site().receiver(kind);
    const server = http.createServer(async (incoming, response) => {
      const chunks = [];
      for await (const chunk of incoming) chunks.push(chunk);
      Object.assign(incoming, left(Buffer.concat(chunks)));
      await receive(incoming, response);
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    const before = logged.mock.callCount();
    const answer = await fetch(`http://127.0.0.1:${server.address().port}/`, {
      method: 'POST', body: step.body ?? step.form, headers: header ? { 'Drawbridge-Webhook-Signature': header } : {} });
    assert.deepEqual([answer.status, (await answer.json()).result], expected);
    assert.equal(logged.mock.callCount() - before, expected[0] === 500 ? 1 : 0);
    server.close();
  }
});

test('a notice that is too large is answered', { timeout: 10000 }, async () => {
  const receive = site().receiver('webhook');
  const server = http.createServer((incoming, response) => void receive(incoming, response));
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const body = 'x'.repeat(70000);
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/`, { method: 'POST', body });
  assert.deepEqual([answer.status, await answer.json()], [413, { result: 'refused' }]);
  server.close();
});

test('a web socket takes a sign-in, and a page of this website', async () => {
  let answers = 0;
  const website = site({ source: 'session' }, table.now, async () => {
    answers += 1;
    return { status: 200, headers: [], body: ALICE };
  });
  const server = http.createServer((incoming, response) => response.end());
  server.on('upgrade', website.upgraded((incoming, socket, head) => socket.end(
    `HTTP/1.1 101 Switching Protocols\r\n\r\n${incoming.drawbridgeUser.subject}${head}`)));
  await new Promise((listening) => { server.listen(0, '127.0.0.1', listening); });
  const ask = (...fields) => new Promise((done, failed) => {
    let all = '';
    const lines = ['GET /live HTTP/1.1', 'Host: www.example.com', 'Connection: Upgrade', 'Upgrade: websocket', ...fields];
    const socket = net.connect(server.address().port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n!`));
    socket.setEncoding('latin1').on('data', (part) => { all += part; }).on('end', () => done(all)).on('error', failed);
  });
  const [alice, own] = ['Cookie: __Host-drawbridge_session=opaque', 'Origin: https://www.example.com'];
  try {
    assert.equal(await ask(own), 'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nCache-Control: no-store\r\n'
      + 'Content-Type: application/json\r\nContent-Length: 25\r\nConnection: close\r\n\r\n{"error":"invalid_token"}');
    for (const origin of ['https://beside.example.com', 'http://www.example.com', 'https://www.example.com:8443', 'null', '']) {
      assert.match(await ask(alice, `Origin: ${origin}`), /^HTTP\/1\.1 403 Forbidden\r\n/, origin);
    }
    for (const fields of [[alice], [alice, own, 'Origin: https://beside.example.com']]) {
      assert.match(await ask(...fields), /^HTTP\/1\.1 403 Forbidden\r\n/);
    }
    assert.equal(answers, 0);
    assert.equal(await ask(alice, own), 'HTTP/1.1 101 Switching Protocols\r\n\r\nalice!');
  } finally {
    server.closeAllConnections?.();
    server.close();
  }
});

/** As much of a connection as an upgrade needs. */
class Connection extends EventEmitter {
  destroyed = false;

  ended = [];

  end(text) { this.ended.push(text); }

  destroy() { this.destroyed = true; }

  breakOff() {
    this.destroyed = true;
    this.emit('error', new Error('reset'));
  }
}

/** What a page of the website asks to upgrade with. */
const upgrading = () => (
  { method: 'GET', url: '/live', rawHeaders: ['Cookie', '__Host-drawbridge_session=opaque', 'Origin', 'https://www.example.com'] });

test('a web socket knows the pages of this website however the settings spell its origin', async () => {
  for (const origin of ['https://WWW.example.com', 'https://www.example.com:443']) {
    const website = site({ source: 'session', origin }, table.now, async () => ({ status: 200, headers: [], body: ALICE }));
    const [opened, connection] = [[], new Connection()];
    await website.upgraded((incoming) => opened.push(incoming.drawbridgeUser.subject))(upgrading(), connection, Buffer.alloc(0));
    assert.deepEqual([opened, connection.ended], [['alice'], []], origin);
  }
});

test('a web socket that breaks off while Drawbridge is asked reaches no handler, and ends nothing else', async () => {
  for (const status of [200, 401]) {
    let reply;
    const website = site({ source: 'session' }, table.now, () => new Promise((done) => { reply = done; }));
    const [opened, connection] = [[], new Connection()];
    const done = website.upgraded((incoming) => opened.push(incoming))(upgrading(), connection, Buffer.alloc(0));
    connection.breakOff();
    reply({ status, headers: [], body: status === 200 ? ALICE : '' });
    await done;
    assert.deepEqual([opened, connection.ended], [[], []]);
  }
});

test('a web socket whose handler fails is closed, and ends nothing else', async () => {
  const website = site({ source: 'session' }, table.now, async () => ({ status: 200, headers: [], body: ALICE }));
  const [log, logged, connection] = [console.error, [], new Connection()];
  console.error = (...words) => logged.push(words.at(-1).message);
  try {
    await website.upgraded(async () => { throw new Error('of the handler'); })(upgrading(), connection, Buffer.alloc(0));
  } finally {
    console.error = log;
  }
  assert.deepEqual([logged, connection.destroyed, connection.ended], [['of the handler'], true, []]);
});
