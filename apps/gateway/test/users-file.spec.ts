import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { rename, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basicAuthorization, CLOSE_REFUSED, frameText } from '@ssb/bus';
import { freePort } from '@ssb/free-ports';
import { WebSocket } from 'ws';
import { waitFor } from '@ssb/testing';
import { cheapHash } from './support/password-hashes.js';
import { call } from './support/http-call.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** The file of users: what it may not hold, and that it is read again. No broker is needed. */
const USE = '/api/v1/verifysignature';

let folder: string;
let nowhere: string;
const running: RunningGateway[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-users-file-'));
  nowhere = `http://127.0.0.1:${await freePort()}`;
});

afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(name: string, ...users: string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `users:\n${users.map((each) => `  - ${each}\n`).join('')}`);
  return path;
}

async function startWith(overrides: Readonly<Record<string, string>>): Promise<RunningGateway> {
  const started = await startGateway(nowhere, {
    BASIC_AUTH_USERNAME: '',
    BASIC_AUTH_PASSWORD: '',
    FILES_RELOAD_INTERVAL_MS: '50',
    ...overrides,
  });
  running.push(started);
  return started;
}

describe('a users file that changes', () => {
  const user = (name: string, password: string, rights = 'messages') =>
    `{ name: ${name}, passwordHash: "${cheapHash(password)}", rights: [${rights}] }`;

  /** 400 is the operation's own answer: there is nothing to verify. */
  const status = async (gateway: RunningGateway, name: string, password: string) =>
    (await call(gateway, 'POST', USE, {}, basicAuthorization(name, password))).status;

  async function reloads({ url }: RunningGateway, outcome: 'taken' | 'refused'): Promise<number> {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const found = new RegExp(`^gateway_users_reloads_total{outcome="${outcome}"} (\\d+)`, 'm').exec(metrics);
    return Number(found?.[1] ?? 0);
  }

  it('is read again when a link is turned; one that cannot be used is refused and the users stay', async () => {
    // As a platform mounts a secret: a link into a folder of its own, replaced in one step.
    const link = join(folder, 'linked.yaml');
    const plain = '{ name: plain, password: "stays as it is", rights: [messages] }';
    symlinkSync(written('one.yaml', user('early', 'first'), plain), link);
    const turn = async (target: string) => {
      await symlink(target, `${link}.next`);
      await rename(`${link}.next`, link);
    };
    const gateway = await startWith({ USERS_FILE: link });
    expect(await status(gateway, 'early', 'first')).toBe(400);
    expect(await status(gateway, 'plain', 'stays as it is')).toBe(400);
    expect(await status(gateway, 'late', 'second')).toBe(401);

    await turn(
      written('two.yaml', user('late', 'second'), '{ name: bad, password: hidden-word, rights: [] }'),
    );
    await waitFor('the refusal', async () => (await reloads(gateway, 'refused')) === 1);
    expect(gateway.logged()).toMatch(/users\.1\.rights takes one or more of/);
    expect(gateway.logged()).not.toContain('hidden-word');
    expect(await status(gateway, 'early', 'first')).toBe(400);
    expect(await status(gateway, 'late', 'second')).toBe(401);

    await turn(written('three.yaml', user('late', 'second'), plain));
    await waitFor('the new users', async () => (await reloads(gateway, 'taken')) === 1);
    expect(await status(gateway, 'late', 'second')).toBe(400);
    expect(await status(gateway, 'plain', 'stays as it is')).toBe(400);
    expect(await status(gateway, 'early', 'first')).toBe(401);

    rmSync(link);
    await waitFor('its loss is told', () => gateway.logged().includes('cannot be read (ENOENT)'));
    expect(await status(gateway, 'late', 'second')).toBe(400);
  });

  it('ends the WebSockets of users that are gone, changed or may no more, and of no others', async () => {
    const names = ['gone', 'changed', 'barred', 'stays'] as const;
    const before = names.map((name) => user(name, 'before'));
    const gateway = await startWith({ USERS_FILE: written('sockets.yaml', ...before) });
    const [gone, changed, barred, stays] = await Promise.all(
      names.map(async (name) => {
        const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/events`, 'dsb-messages', {
          headers: { authorization: basicAuthorization(name, 'before') },
        });
        await once(socket, 'open');
        return socket;
      }),
    );
    const told: string[] = [];
    const ends = [gone, changed, barred].map(async (socket) => {
      socket?.on('message', (data) => told.push(frameText(data)));
      return socket && ((await once(socket, 'close')) as [number])[0];
    });
    written(
      'sockets.yaml',
      user('stays', 'before', 'config, messages'),
      user('changed', 'after'),
      user('barred', 'before', 'config'),
    );
    expect(await Promise.all(ends)).toEqual([CLOSE_REFUSED, CLOSE_REFUSED, CLOSE_REFUSED]);
    expect(told.map((frame) => (JSON.parse(frame) as { err: { code: string } }).err.code)).toEqual(
      new Array(3).fill('REQ::UNAUTHENTICATED'),
    );
    expect(stays?.readyState).toBe(WebSocket.OPEN);
    stays?.terminate();
  });
});

describe('the start is refused, and no password shown, when', () => {
  const file = (...users: string[]) => ({ USERS_FILE: written('wrong.yaml', ...users) });
  const good = '{ name: both, password: hidden-word, rights: [config] }';
  const scalar = () => {
    writeFileSync(join(folder, 'scalar.yaml'), 'users: hidden-word');
    return { USERS_FILE: join(folder, 'scalar.yaml') };
  };

  it.each([
    ['there is nobody', () => ({}), /Nobody could use the gateway/],
    ['a user has no password', () => ({ BASIC_AUTH_USERNAME: 'a' }), /goes together/],
    ['there is no file', () => ({ USERS_FILE: join(folder, 'none') }), /cannot be read \(ENOENT\)/],
    ['it is no YAML', () => file('{ name: a, password: "hidden-word'), /no YAML \(\w+ at line \d+\)/],
    ['it is no list', scalar, /users /],
    ['a field is unknown', () => file('{ name: a, pasword: hidden-word, rights: [config] }'), /users\.0/],
    ['a right is unknown', () => file('{ name: a, password: hidden-word, rights: [all] }'), /rights\.0/],
    ['nothing is allowed', () => file('{ name: a, password: hidden-word, rights: [] }'), /one or more of/],
    ['a password is missing', () => file('{ name: a, rights: [config] }'), /either password or passwordHash/],
    [
      'a hash is none',
      () => file('{ name: a, passwordHash: hidden-word, rights: [config] }'),
      /user a is refused: it is no scrypt hash/,
    ],
    [
      'a hash is cheap',
      () => file(`{ name: a, passwordHash: "${cheapHash('a').replace('10', '9')}", rights: [config] }`),
      /no scrypt hash/,
    ],
    [
      'a name has a colon',
      () => file('{ name: "a:b", password: hidden-word, rights: [config] }'),
      /without a colon/,
    ],
    ['a name comes twice', () => file(good, good), /twice/],
    [
      'a name comes in both places',
      () => ({ BASIC_AUTH_USERNAME: 'both', BASIC_AUTH_PASSWORD: 'hidden-word', ...file(good) }),
      /as well/,
    ],
  ])('%s', async (_name, settings, said) => {
    const error: unknown = await startWith(settings()).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(String(error)).toMatch(said);
    expect(String(error)).not.toContain('hidden-word');
  });
});
