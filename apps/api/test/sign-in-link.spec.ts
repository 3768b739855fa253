import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSignInLink, type AccessGrant } from '@ssb/keys';
import { Browser } from './support/browser.js';
import { RunningApi } from './support/running-api.js';

const GRANT: AccessGrant = { name: 'olivia', role: 'operator', participants: 'all' };
const HOUR_MS = 3_600_000;
const REFUSED = [401, []];

let api: RunningApi;
let folder: string;
let path: string;

// Each test has attempts of its own.
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'link-'));
  path = join(folder, 'link.json');
  api = await RunningApi.start({ SIGN_IN_LINK_FILE: path });
});
afterEach(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

async function open(token: string, headers: Record<string, string> = {}): Promise<[number, string[]]> {
  const browser = new Browser(api);
  const response = await browser.send('/sign-in/link', { method: 'POST', headers, body: { token } });
  return [response.status, response.headers.getSetCookie()];
}

it('signs in once', async () => {
  const token = await createSignInLink(path, GRANT, new Date());
  const browser = new Browser(api);
  const response = await browser.send('/sign-in/link', { method: 'POST', body: { token } });
  expect(response.status).toBe(204);
  expect(await (await browser.send('/v1/caller')).json()).toMatchObject({
    name: 'olivia',
    role: 'operator',
    allParticipants: true,
    credentials: 'session',
  });
  expect(await open(token)).toEqual(REFUSED);
});

it('signs in once of several attempts at the same time', async () => {
  const token = await createSignInLink(path, GRANT, new Date());
  const statuses = (await Promise.all([1, 2, 3, 4].map(() => open(token)))).map(([status]) => status);
  expect(statuses.toSorted()).toEqual([204, 401, 401, 401]);
});

it('is refused when it is wrong, has ended, or is missing', async () => {
  expect(await open('a')).toEqual(REFUSED);
  const token = await createSignInLink(path, GRANT, new Date(Date.now() - HOUR_MS));
  expect(await open(token)).toEqual(REFUSED);
  const next = await createSignInLink(path, GRANT, new Date());
  expect(await open(token)).toEqual(REFUSED);
  expect((await open(next))[0]).toBe(204);
});

it.each(['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])(
  'is refused behind a proxy, and not used up: %s',
  async (name) => {
    const token = await createSignInLink(path, GRANT, new Date());
    expect((await open(token, { [name]: '127.0.0.1' }))[0]).toBe(403);
    expect((await open(token))[0]).toBe(204);
  },
);

it('bounds wrong attempts', async () => {
  const statuses: number[] = [];
  while (statuses.at(-1) !== 429 && statuses.length < 100) statuses.push((await open('wrong'))[0]);
  expect([statuses.at(-1), new Set(statuses.slice(0, -1))]).toEqual([429, new Set([401])]);
});

it('ends its sessions when links are no longer configured', async () => {
  const token = await createSignInLink(path, GRANT, new Date());
  const browser = new Browser(api);
  await browser.send('/sign-in/link', { method: 'POST', body: { token } });
  const replica = await api.startReplica();
  try {
    const headers = { cookie: browser.cookieHeader };
    expect((await new Browser(replica).send('/v1/caller', { headers })).status).toBe(401);
    const options = async (each: RunningApi): Promise<unknown> =>
      (await new Browser(each).send('/sign-in/options')).json();
    expect(await options(api)).toEqual({ openIdConnect: false, accessToken: true, link: true });
    expect(await options(replica)).toEqual({ openIdConnect: false, accessToken: true, link: false });
  } finally {
    await replica.close();
  }
});
