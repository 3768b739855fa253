import { waitFor } from '@ssb/testing';
import { MAX_SESSIONS, MAX_SESSIONS_OF_PERSON } from '../src/access/sessions/insert-session.js';
import { Browser } from './support/browser.js';
import { OpenStream } from './support/open-stream.js';
import { RunningApi } from './support/running-api.js';

const SESSION = '__Host-session';
const HOUR_MS = 3_600_000;

let api: RunningApi;
let browser: Browser;

beforeAll(async () => {
  api = await RunningApi.start({ CALLER_REQUESTS_PER_SECOND: '1000' });
});
beforeEach(async () => {
  await api.tables.admin.query('DELETE FROM console_session');
  browser = new Browser(api);
});
afterAll(() => api.close());

const statusOf = async (path = '/v1/caller'): Promise<number> => (await browser.send(path)).status;
const addToken = async (expiresAt?: Date): Promise<string> => {
  const token = await api.addToken({
    name: 'vera',
    role: 'operator',
    participants: ['WPGENCO'],
    ...(expiresAt && { expiresAt }),
  });
  await waitFor('the token', async () => (await api.get('/v1/caller', { token })).status === 200);
  return token;
};

describe('a session of an access token', () => {
  it('has a cookie that no script and no other site reads, and that the database does not hold', async () => {
    const response = await browser.signIn();
    expect(response.status).toBe(204);
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-session=[\w-]{43}\.[\w-]{43}; Path=\/; Max-Age=28800; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
    const rows = await api.tables.admin.query('SELECT *, session_hash::text AS hash FROM console_session');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(browser.cookie(SESSION));
  });

  it('shows whose it is, and acts in that name', async () => {
    const token = await addToken();
    await browser.signIn(token);
    const caller = (await (await browser.send('/v1/caller')).json()) as Record<string, unknown>;
    expect(caller).toMatchObject({
      name: 'vera',
      role: 'operator',
      participants: ['WPGENCO'],
      credentials: 'session',
    });
    const silence = { comment: 'maintenance', matchers: { participants: ['WPGENCO'] }, for: '1h' };
    const added = await browser.send('/v1/silences', { method: 'POST', body: silence });
    expect([added.status, ((await added.json()) as { author: string }).author]).toEqual([202, 'vera']);
  });

  it('ends with the token when that is earlier', async () => {
    const end = new Date(Date.now() + HOUR_MS);
    await browser.signIn(await addToken(end));
    const { expiresAt } = (await (await browser.send('/v1/caller')).json()) as { expiresAt: string };
    expect(expiresAt).toBe(end.toISOString());
  });

  it('ends at its end', async () => {
    await browser.signIn();
    await api.tables.admin.query("UPDATE console_session SET expires_at = now() - interval '1 second'");
    expect(await statusOf()).toBe(401);
    await new Browser(api).signIn();
    expect(await api.tables.admin.query('SELECT 1 FROM console_session')).toHaveLength(1);
  });

  it('ends with its stream when the token is revoked', async () => {
    const token = await addToken();
    await browser.signIn(token);
    const stream = await OpenStream.open(api, '', { cookie: browser.cookieHeader });
    await api.revokeToken(token);
    expect(await stream.ended()).toBe('changed');
    expect(await statusOf()).toBe(401);
  });

  it('is refused for a wrong token, and for a token of an issuer', async () => {
    for (const token of [`${api.operator.slice(0, -1)}!`, 'a.b.c']) {
      const response = await browser.signIn(token);
      expect([response.status, response.headers.getSetCookie()]).toEqual([401, []]);
    }
  });
});

describe('the credentials of a request', () => {
  it('are a header, then a session: a wrong one never falls back', async () => {
    await browser.signIn();
    const nameWith = async (headers: Record<string, string>): Promise<unknown> => {
      const response = await browser.send('/v1/caller', { headers });
      return response.status === 200 ? ((await response.json()) as { name: string }).name : response.status;
    };
    expect(await nameWith({ authorization: `Bearer ${api.limited}` })).toBe('wendy');
    expect(await nameWith({ authorization: 'Bearer wrong' })).toBe(401);
    expect(await nameWith({})).toBe('olivia');
    const [session] = [browser.cookieHeader];
    for (const cookie of [`${SESSION}=a`, `${session}a`, `${session}; ${session}`, `\u{a0}${session}`])
      expect([cookie, await nameWith({ cookie })]).toEqual([cookie, 401]);
  });
});

describe('sign-out', () => {
  it('ends session, cookie and stream', async () => {
    await browser.signIn();
    const cookie = browser.cookieHeader;
    const stream = await OpenStream.open(api, '', { cookie });
    const response = await browser.send('/sign-out', { method: 'POST' });
    expect([response.status, browser.cookie(SESSION)]).toEqual([204, undefined]);
    expect(await stream.ended()).toBe('signed-out');
    expect((await browser.send('/v1/caller', { headers: { cookie } })).status).toBe(401);
    expect((await browser.send('/sign-out', { method: 'POST' })).status).toBe(204);
  });

  it('leaves the cookie of a session that could not be ended', async () => {
    await browser.signIn();
    await api.tables.admin.query('REVOKE DELETE ON console_session FROM api');
    const response = await browser.send('/sign-out', { method: 'POST' });
    await api.tables.admin.query('GRANT DELETE ON console_session TO api');
    expect([response.status, response.headers.getSetCookie()]).toEqual([500, []]);
    expect(await statusOf()).toBe(200);
  });

  it('at another replica ends the stream', async () => {
    await browser.signIn();
    const stream = await OpenStream.open(api, '', { cookie: browser.cookieHeader });
    const replica = await api.startReplica();
    try {
      const other = new Browser(replica);
      other.setCookie(SESSION, browser.cookie(SESSION) ?? '');
      expect((await other.send('/v1/caller')).status).toBe(200);
      await other.send('/sign-out', { method: 'POST' });
      expect(await stream.ended()).toBe('signed-out');
    } finally {
      await replica.close();
    }
  });
});

describe('a request of another origin', () => {
  const silence = { comment: 'maintenance', matchers: { types: ['position.*'] }, for: '1h' };
  const send = async (method: string, headers: Record<string, string>): Promise<number> => {
    const path = method === 'GET' ? '/v1/events/stream' : '/v1/silences';
    const response = await browser.send(path, {
      method,
      // A browser that does not know SameSite.
      headers: { cookie: browser.cookieHeader, ...headers },
      ...(method === 'POST' && { body: silence }),
    });
    await response.body?.cancel();
    return response.status;
  };

  beforeEach(() => browser.signIn());

  it.each<[string, string, Record<string, string>]>([
    ['with its Origin', 'POST', { origin: 'https://evil.example' }],
    ['with an opaque Origin', 'POST', { origin: 'null' }],
    ['from another site', 'POST', { 'sec-fetch-site': 'cross-site' }],
    ['from another host of the site', 'POST', { 'sec-fetch-site': 'same-site' }],
    ['typed as an address', 'POST', { 'sec-fetch-site': 'none' }],
    ['that reads, from another site', 'GET', { 'sec-fetch-site': 'cross-site' }],
    ['that reads, from another host of the site', 'GET', { 'sec-fetch-site': 'same-site' }],
  ])('is refused: %s', async (_what, method, headers) => {
    expect(await send(method, headers)).toBe(403);
  });

  it('is refused without Origin, also for sign-in and sign-out', async () => {
    for (const path of ['/v1/silences', '/sign-out', '/sign-in/token', '/sign-in/link']) {
      const response = await fetch(api.urls.api + path, {
        method: 'POST',
        headers: { cookie: browser.cookieHeader, 'content-type': 'application/json' },
        body: JSON.stringify(path === '/sign-in/link' ? { token: 'a' } : silence),
      });
      expect([path, response.status]).toEqual([path, 403]);
    }
    expect(await statusOf()).toBe(200);
  });

  it('with a token instead of the session is a program', async () => {
    const headers = { authorization: `Bearer ${api.operator}`, origin: 'https://evil.example' };
    expect(await send('POST', headers)).toBe(202);
  });
});

describe('the number of sessions', () => {
  it('is limited for a person: the oldest ends', async () => {
    const [oldest, newest, other] = [new Browser(api), new Browser(api), new Browser(api)];
    await other.signIn(api.viewer);
    await oldest.signIn(api.limited);
    await api.tables.admin.query(
      `INSERT INTO console_session (session_hash, person, identity, expires_at)
       SELECT sha256(number::text::bytea), person, identity, expires_at FROM console_session, generate_series(1, $1) AS number
       WHERE identity @> (SELECT identity FROM console_session ORDER BY created_at DESC LIMIT 1)`,
      [MAX_SESSIONS_OF_PERSON - 1],
    );
    await newest.signIn(api.limited);
    const statuses = [];
    for (const each of [oldest, newest, other]) statuses.push((await each.send('/v1/caller')).status);
    expect(statuses).toEqual([401, 200, 200]);
    const rows = await api.tables.admin.query('SELECT 1 FROM console_session');
    expect(rows).toHaveLength(MAX_SESSIONS_OF_PERSON + 1);
  });

  it('is limited in a time, for each person', async () => {
    const token = await addToken();
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 100) {
      statuses.push((await new Browser(api).signIn(token)).status);
    }
    expect([statuses.at(-1), new Set(statuses.slice(0, -1))]).toEqual([429, new Set([204])]);
    expect((await browser.signIn(api.viewer)).status).toBe(204);
  });

  it('is limited for all', async () => {
    await api.tables.admin.query(
      `INSERT INTO console_session (session_hash, person, identity, expires_at)
       SELECT sha256(number::text::bytea), number::text, '{}', now() + interval '1 hour' FROM generate_series(1, $1) AS number`,
      [MAX_SESSIONS],
    );
    const response = await browser.signIn();
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringContaining('sessions are open'),
    ]);
  });
});
