import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { basicAuthorization } from '@ssb/bus';
import { freePort } from '@ssb/redis';
import { WebSocket } from 'ws';
import { call } from './testing/plain-call.js';
import { PASSWORD, startGateway, USERNAME, type RunningGateway } from './testing/running-gateway.js';

/** Who may use the gateway for what, by its settings and its users file. No broker is needed to be turned away. */
const CONFIG = '/api/v1/config/identity';
const USE = '/api/v1/verifysignature';

/** RFC 7914 §12, third vector: scrypt("pleaseletmein", "SodiumChloride", 16384, 8, 1), written as a PHC string. */
const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
const HASH = `$scrypt$ln=14,r=8,p=1$${unpadded(Buffer.from('SodiumChloride'))}$${unpadded(
  Buffer.from(
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2' +
      'd5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    'hex',
  ),
)}`;

const USERS = `
users:
  - { name: keeper, password: "the keeper's", rights: [config] }
  - { name: sender, passwordHash: "${HASH}", rights: [messages] }
  - { name: both, password: "both's", rights: [config, messages] }
`;

let folder: string;
let nowhere: string;
let gateway: RunningGateway;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-users-'));
  nowhere = `http://127.0.0.1:${await freePort()}`;
  gateway = await startGateway(nowhere, { USERS_FILE: usersFile('users', USERS) });
});

afterAll(async () => {
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function usersFile(name: string, content: string): string {
  const path = join(folder, `${name}.yaml`);
  writeFileSync(path, content);
  return path;
}

/** A gateway without BASIC_AUTH_*, but for what is given. */
const startWith = (overrides: Readonly<Record<string, string>>) =>
  startGateway(nowhere, { BASIC_AUTH_USERNAME: '', BASIC_AUTH_PASSWORD: '', ...overrides });

const as = (name: string, password: string, path: string, at = gateway) =>
  call(
    at,
    path === CONFIG ? 'GET' : 'POST',
    path,
    path === CONFIG ? undefined : {},
    basicAuthorization(name, password),
  );

/** The status that an upgrade of `/events` is answered with; 101 when it is granted. */
function upgrade(name: string, password: string): Promise<number> {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/events`, 'dsb-messages', {
    headers: { authorization: basicAuthorization(name, password) },
  });
  return new Promise((answered) => {
    socket.on('open', () => {
      socket.terminate();
      answered(101);
    });
    socket.on('unexpected-response', (_request, response) => {
      response.resume();
      answered(response.statusCode ?? 0);
    });
    socket.on('error', () => undefined);
  });
}

describe('rights', () => {
  // 400 is the operation's own answer: there is no identity yet, and nothing to verify.
  it.each([
    ['keeper', "the keeper's", 400, 403, 403],
    ['sender', 'pleaseletmein', 403, 400, 101],
    ['both', "both's", 400, 400, 101],
    [USERNAME, PASSWORD, 400, 400, 101],
  ])('of %s', async (name, password, config, use, events) => {
    const lacking = (right: string) => ({
      err: { code: 'REQ::FORBIDDEN', additionalInformation: { right } },
    });
    const configured = await as(name, password, CONFIG);
    expect(configured.status).toBe(config);
    if (config === 403) expect(configured.body).toMatchObject(lacking('config'));
    const used = await as(name, password, USE);
    expect(used.status).toBe(use);
    if (use === 403) expect(used.body).toMatchObject(lacking('messages'));
    expect(await upgrade(name, password)).toBe(events);
  });

  it.each([
    ['another password', 'keeper', "the keepers'"],
    ["another user's password", 'keeper', 'pleaseletmein'],
    ['the hash itself', 'sender', HASH],
    ['an unknown user', 'nobody', 'nobody'],
    ['no password', 'both', ''],
  ])('are for nobody with %s', async (_name, name, password) => {
    for (const path of [CONFIG, USE]) {
      const answer = await as(name, password, path);
      expect(answer).toMatchObject({ status: 401, body: { err: { code: 'REQ::UNAUTHENTICATED' } } });
      expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
    }
    expect(await upgrade(name, password)).toBe(401);
  });
});

describe('whoever guesses', () => {
  it('is slowed: five failures are free for a user, then even the right password waits, and others do not', async () => {
    const guessed = await startGateway(nowhere, { USERS_FILE: usersFile('guessed', USERS) });
    try {
      const statuses: number[] = [];
      for (let n = 0; n < 7; n += 1) statuses.push((await as('both', `guess ${n}`, USE, guessed)).status);
      expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429]);
      const right = await as('both', "both's", USE, guessed);
      expect(right).toMatchObject({ status: 429, body: { err: { code: 'REQ::TOO_MANY_REQUESTS' } } });
      expect(Number(right.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect((await as('sender', 'pleaseletmein', USE, guessed)).status).toBe(400);
      for (const secret of ['guess 0', "both's", 'pleaseletmein'])
        expect(guessed.logged()).not.toContain(secret);
    } finally {
      await guessed.stop();
    }
  });

  it('under many names slows strangers at its address, not a user that is known, nor a guess at the known password', async () => {
    const guessed = await startGateway(nowhere, { USERS_FILE: usersFile('many', USERS) });
    try {
      expect((await as('both', "both's", USE, guessed)).status).toBe(400);
      // Fifty are free for an address.
      const names = Array.from({ length: 51 }, (_, n) => as(`user ${n}`, 'guess', USE, guessed));
      expect(new Set((await Promise.all(names)).map(({ status }) => status))).toEqual(new Set([401]));
      expect((await as('sender', 'pleaseletmein', USE, guessed)).status).toBe(429);
      expect((await as('both', "both's", USE, guessed)).status).toBe(400);
      for (let n = 0; n < 6; n += 1) await as('both', `guess ${n}`, USE, guessed);
      expect((await as('both', "both's", USE, guessed)).status).toBe(429);
    } finally {
      await guessed.stop();
    }
  });

  it('in parallel gains nothing: failures that are in line count for those behind them', async () => {
    const guessed = await startGateway(nowhere);
    try {
      const all = Array.from({ length: 40 }, (_, n) => as(USERNAME, `guess ${n}`, USE, guessed));
      const statuses = (await Promise.all(all)).map(({ status }) => status);
      // Two are hashed at once: one may be under way while the sixth failure is counted.
      expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(7);
      expect(new Set(statuses)).toEqual(new Set([401, 429]));
    } finally {
      await guessed.stop();
    }
  });
});

describe('a password', () => {
  it('is hashed for the first request alone', async () => {
    const hashed = await startWith({ BASIC_AUTH_USERNAME: 'one', BASIC_AUTH_PASSWORD_HASH: HASH });
    try {
      const answers = await Promise.all(
        Array.from({ length: 64 }, () => as('one', 'pleaseletmein', USE, hashed)),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
    } finally {
      await hashed.stop();
    }
  });

  it('is hashed by a command, for a line of the settings or of the file', async () => {
    const program = resolve('apps/gateway/dist/hash-password.js');
    const run = promisify(execFile)(process.execPath, [program]);
    run.child.stdin?.end('from a command\n');
    const line = (await run).stdout.trim();
    const users = `users: [{ name: one, passwordHash: "${line}", rights: [messages] }]`;
    const hashed = await startWith({ USERS_FILE: usersFile('command', users) });
    try {
      expect((await as('one', 'from a command', USE, hashed)).status).toBe(400);
    } finally {
      await hashed.stop();
    }
  });
});

describe('the start is refused, and no password shown, when', () => {
  const file = (user: string) => ({ USERS_FILE: usersFile('wrong', `users:\n  - ${user}\n`) });
  it.each([
    ['there is nobody', () => ({}), /Nobody could use the gateway/],
    ['a user has no password', () => ({ BASIC_AUTH_USERNAME: 'a' }), /goes together/],
    ['there is no file', () => ({ USERS_FILE: join(folder, 'none') }), /cannot be read \(ENOENT\)/],
    ['it is no YAML', () => file('{ name: a, password: "hidden-word'), /no YAML \(\w+ at line \d+\)/],
    ['it is no list', () => ({ USERS_FILE: usersFile('wrong', 'users: hidden-word') }), /users /],
    ['a field is unknown', () => file('{ name: a, pasword: hidden-word, rights: [config] }'), /users\.0/],
    ['a right is unknown', () => file('{ name: a, password: hidden-word, rights: [all] }'), /rights\.0/],
    ['nothing is allowed', () => file('{ name: a, password: hidden-word, rights: [] }'), /one or more of/],
    ['a password is missing', () => file('{ name: a, rights: [config] }'), /either password or passwordHash/],
    [
      'a hash is none',
      () => file('{ name: a, passwordHash: hidden-word, rights: [config] }'),
      /no scrypt hash/,
    ],
    [
      'a hash is cheap',
      () => file(`{ name: a, passwordHash: "${HASH.replace('14', '4')}", rights: [config] }`),
      /no scrypt hash/,
    ],
    [
      'a name has a colon',
      () => file('{ name: "a:b", password: hidden-word, rights: [config] }'),
      /without a colon/,
    ],
    [
      'a name comes twice',
      () => ({
        USERS_FILE: usersFile('wrong', `${USERS}  - { name: both, password: hidden-word, rights: [config] }`),
      }),
      /twice/,
    ],
    [
      'a name comes in both places',
      () => ({
        BASIC_AUTH_USERNAME: 'both',
        BASIC_AUTH_PASSWORD: 'hidden-word',
        USERS_FILE: usersFile('users', USERS),
      }),
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
