import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@ssb/dev/free-ports';
import { writeFileAtomically } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { startOpenIdProvider, type OpenIdAccount, type OpenIdProvider } from '@ssb/testing/openid-provider';
import { Browser } from './support/browser.js';
import { logInAtIssuer } from './support/log-in-at-issuer.js';
import { OpenStream } from './support/open-stream.js';
import { RunningApi } from './support/running-api.js';

const SESSION = '__Host-session';
const SIGN_IN = '__Host-sign-in';

let folder: string;
let consoleUrl: string;
let provider: OpenIdProvider;
let api: RunningApi;
let browser: Browser;
/** Address of the person: each test has attempts of its own. */
let client: string;
let clients = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sign-in-'));
  const port = await freePort();
  consoleUrl = `http://127.0.0.1:${port}`;
  provider = await startOpenIdProvider(`${consoleUrl}/sign-in/callback`);
  await writeFile(join(folder, 'secret'), `${provider.clientSecret}\n`);
  await writeFile(join(folder, 'access.yaml'), JSON.stringify({ openIdConnect: provider.access }));
  api = await RunningApi.start({
    PORT: String(port),
    CONSOLE_URL: consoleUrl,
    API_ACCESS_FILE: join(folder, 'access.yaml'),
    TRUSTED_PROXIES: '127.0.0.1',
    OPENID_CONNECT_CLIENT_ID: provider.clientId,
    OPENID_CONNECT_CLIENT_SECRET_FILE: join(folder, 'secret'),
  });
});
beforeEach(() => {
  browser = new Browser(api);
  client = `192.0.2.${(clients += 1)}`;
});
afterAll(async () => {
  await api?.close();
  await provider?.stop();
  await rm(folder, { recursive: true });
});

/** The address at the issuer to which the sign-in leads. */
async function start(): Promise<URL> {
  const response = await browser.send('/sign-in', { headers: { 'x-forwarded-for': client } });
  expect([response.status, response.headers.getSetCookie()]).toEqual([
    302,
    [
      expect.stringMatching(
        /^__Host-sign-in=[\w.-]{100,250}; Path=\/; Max-Age=600; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ],
  ]);
  return new URL(response.headers.get('location') ?? '');
}

const logIn = (authorization: URL, login: OpenIdAccount | undefined): Promise<string> =>
  logInAtIssuer(authorization, login, consoleUrl);

/** Opens the callback. @returns where it leads */
async function returnTo(callback: string): Promise<string | null> {
  const headers = { 'sec-fetch-site': 'cross-site', 'x-forwarded-for': client };
  return (await browser.send(callback, { headers })).headers.get('location');
}

const failed = (reason: string): string => `/sign-in-failed?reason=${reason}`;
const altered = (url: URL, name: string, value: string): URL => {
  const changed = new URL(url);
  changed.searchParams.set(name, value);
  return changed;
};

it.each<[OpenIdAccount, object]>([
  ['olivia', { role: 'operator', allParticipants: true }],
  ['victor', { role: 'viewer', allParticipants: true }],
  ['wendy', { role: 'operator', allParticipants: false, participants: ['WPGENCO'] }],
])('signs %s in with role and participants of the claims', async (name, expected) => {
  const callback = await logIn(await start(), name);
  expect(await returnTo(callback)).toBe('/');
  expect([browser.cookie(SIGN_IN), browser.cookie(SESSION)]).toEqual([undefined, expect.any(String)]);
  const caller: unknown = await (await browser.send('/v1/caller')).json();
  expect(caller).toMatchObject({ name, credentials: 'session', ...expected });
});

it('requests a code with PKCE and nonce, and shows nothing of the cookie', async () => {
  const { origin, searchParams } = await start();
  expect([origin, Object.fromEntries(searchParams)]).toEqual([
    provider.issuer,
    {
      client_id: 'console',
      redirect_uri: `${consoleUrl}/sign-in/callback`,
      response_type: 'code',
      scope: 'openid',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    },
  ]);
  const values = ['state', 'nonce', 'code_challenge'].map((name) => searchParams.get(name));
  expect(new Set([...values, browser.cookie(SIGN_IN)]).size).toBe(4);
});

describe('a sign-in fails', () => {
  it('when the person cancels', async () => {
    expect(await returnTo(await logIn(await start(), undefined))).toBe(failed('denied'));
  });

  it('when the claims grant nothing', async () => {
    expect(await returnTo(await logIn(await start(), 'guest'))).toBe(failed('no-access'));
  });

  it('with another state', async () => {
    const callback = new URL(await logIn(await start(), 'olivia'), consoleUrl);
    const { pathname, search } = altered(callback, 'state', 'a'.repeat(43));
    expect(await returnTo(pathname + search)).toBe(failed('expired'));
    expect(browser.cookie(SIGN_IN)).toEqual(expect.any(String));
  });

  it.each([
    ['without the cookie', ''],
    ['with the cookie of another sign-in', 'a'.repeat(43)],
  ])('%s', async (_what, value) => {
    const callback = await logIn(await start(), 'olivia');
    browser.setCookie(SIGN_IN, value);
    expect(await returnTo(callback)).toBe(failed('expired'));
  });

  it.each([
    ['with another nonce in the ID token', 'nonce'],
    ['with another code verifier', 'code_challenge'],
  ])('%s', async (_what, parameter) => {
    const authorization = altered(await start(), parameter, 'a'.repeat(43));
    expect(await returnTo(await logIn(authorization, 'olivia'))).toBe(failed('refused'));
  });

  it.each([
    ['of another issuer', 'https://evil.example'],
    ['without issuer', ''],
  ])('with a response %s (RFC 9207)', async (_what, issuer) => {
    const callback = new URL(await logIn(await start(), 'olivia'), consoleUrl);
    const { pathname, search } = altered(callback, 'iss', issuer);
    expect(await returnTo(pathname + search)).toBe(failed('refused'));
  });

  it('with a code that was used', async () => {
    const callback = await logIn(await start(), 'olivia');
    const cookie = browser.cookie(SIGN_IN) ?? '';
    expect(await returnTo(callback)).toBe('/');
    expect(await returnTo(callback)).toBe(failed('expired'));
    browser.setCookie(SIGN_IN, cookie);
    expect(await returnTo(callback)).toBe(failed('expired'));
  });

  afterEach(async () => {
    expect((await browser.send('/v1/caller', { headers: { cookie: '' } })).status).toBe(401);
  });
});

it('costs the issuer nothing when the return was invented', async () => {
  const requests = provider.countTokenRequests();
  const state = (await start()).searchParams.get('state');
  const callback = `/sign-in/callback?code=a&state=${state}&iss=${encodeURIComponent(provider.issuer)}`;
  const [secret, time, ...rest] = browser.cookie(SIGN_IN)?.split('.') ?? [];
  for (const cookie of ['a', 'a.b', [secret, Number(time) + 1, ...rest].join('.')]) {
    const invented = new Browser(api);
    invented.setCookie(SIGN_IN, cookie);
    expect((await invented.send(callback)).headers.get('location')).toBe(failed('expired'));
  }
  expect(await returnTo(callback.replace(/state=[^&]*/, 'state=a'))).toBe(failed('expired'));
  expect(provider.countTokenRequests()).toBe(requests);
  expect(await returnTo(callback)).toBe(failed('refused'));
  expect(provider.countTokenRequests()).toBe(requests + 1);
});

it('is limited for each address', async () => {
  const open = async (address: string): Promise<string> => {
    const response = await browser.send('/sign-in', { headers: { 'x-forwarded-for': address } });
    return response.headers.get('location') ?? '';
  };
  const opened: string[] = [];
  while (opened.at(-1) !== failed('too-many') && opened.length < 500) opened.push(await open('2001:db8::1'));
  expect(opened.at(-1)).toBe(failed('too-many'));
  expect(await open('2001:db8:0:1::1')).toContain(provider.issuer);
});

it('ends the session that the browser had', async () => {
  const sign = async (): Promise<string> => {
    expect(await returnTo(await logIn(await start(), 'victor'))).toBe('/');
    return browser.cookieHeader;
  };
  const statusOf = async (cookie: string): Promise<number> =>
    (await browser.send('/v1/caller', { headers: { cookie } })).status;
  const first = await sign();
  expect(await statusOf(first)).toBe(200);
  const second = await sign();
  expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
});

it('counts sign-ins by their outcome', async () => {
  const metrics = await (await fetch(new URL('/metrics', api.urls.management))).text();
  const count = (outcome: string): number =>
    Number(
      new RegExp(`sign_ins_total\\{kind="openid-connect",outcome="${outcome}"\\} (\\d+)`).exec(metrics)?.[1],
    );
  for (const outcome of ['succeeded', 'denied', 'expired', 'no-access', 'refused'])
    expect([outcome, count(outcome) > 0]).toEqual([outcome, true]);
});

describe('a session of the issuer', () => {
  const countReloads = async (): Promise<number> => {
    const metrics = await (await fetch(new URL('/metrics', api.urls.management))).text();
    return Number(/access_reloads_total\{outcome="applied"\} (\d+)/.exec(metrics)?.[1]);
  };
  /** Resolves when the API has read it. */
  const writeAccess = async (openIdConnect: object | undefined): Promise<void> => {
    const before = await countReloads();
    const text = JSON.stringify({ ...(openIdConnect && { openIdConnect }) });
    await writeFileAtomically(join(folder, 'access.yaml'), text);
    await waitFor('the access file', async () => (await countReloads()) > before);
  };

  afterEach(() => writeAccess(provider.access));

  it.each([
    ['the role is no longer mapped', () => ({ ...provider.access, operatorValues: ['other'] })],
    [
      'the role is another one',
      () => ({ ...provider.access, operatorValues: [], viewerValues: ['bridge-operator'] }),
    ],
    ['a claim that was not stored decides', () => ({ ...provider.access, roleClaim: 'groups' })],
    ['the issuer is another one', () => ({ ...provider.access, issuer: 'https://other.example' })],
    ['there is no issuer any more', () => undefined],
  ])('ends with its stream when %s', async (_what, change) => {
    expect(await returnTo(await logIn(await start(), 'olivia'))).toBe('/');
    const stream = await OpenStream.open(api, '', { cookie: browser.cookieHeader });
    await writeAccess(change());
    expect(await stream.ended()).toBe('changed');
  });
});

it('says when the issuer does not respond, and that people can sign in there', async () => {
  expect(await (await browser.send('/sign-in/options')).json()).toMatchObject({ openIdConnect: true });
  const callback = await logIn(await start(), 'olivia');
  await provider.stop();
  expect(await returnTo(callback)).toBe(failed('unavailable'));
});
