import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { basicAuthorization } from '@ssb/bus';
import { freePort } from '@ssb/free-ports';
import { WebSocket } from 'ws';
import { cheapHash, HASH_OF_PLEASELETMEIN } from './support/password-hashes.js';
import { call } from './support/http-call.js';
import { PASSWORD, startGateway, USERNAME, type RunningGateway } from './support/running-gateway.js';

/** Who may use the gateway for what. No broker is needed to be turned away. */
const CONFIG = '/api/v1/config/identity';
const USE = '/api/v1/verifysignature';

const USERS = `
users:
  - { name: keeper, password: "the keeper's", rights: [config] }
  - { name: sender, passwordHash: "${HASH_OF_PLEASELETMEIN}", rights: [messages] }
  - { name: both, passwordHash: "${cheapHash("both's")}", rights: [config, messages] }
`;

/** Users whose passwords cost little to check. */
const CHEAP_USERS = `
users:
  - { name: one, passwordHash: "${cheapHash("one's")}", rights: [messages] }
  - { name: other, passwordHash: "${cheapHash("other's")}", rights: [messages] }
`;

let folder: string;
let nowhere: string;
let gateway: RunningGateway;
const running: RunningGateway[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-users-'));
  nowhere = `http://127.0.0.1:${await freePort()}`;
  gateway = await startGateway(nowhere, { USERS_FILE: usersFile('users', USERS) });
});

afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
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
async function startWith(overrides: Readonly<Record<string, string>>): Promise<RunningGateway> {
  const started = await startGateway(nowhere, {
    BASIC_AUTH_USERNAME: '',
    BASIC_AUTH_PASSWORD: '',
    ...overrides,
  });
  running.push(started);
  return started;
}

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
    ['the hash itself', 'sender', HASH_OF_PLEASELETMEIN],
    ['no password', 'both', ''],
  ])('are for nobody with %s', async (_name, name, password) => {
    for (const path of [CONFIG, USE]) {
      const answer = await as(name, password, path);
      expect(answer).toMatchObject({ status: 401, body: { err: { code: 'REQ::UNAUTHENTICATED' } } });
      expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
    }
    expect(await upgrade(name, password)).toBe(401);
  });

  it('are for no unknown user, whoever’s password it gives', async () => {
    for (const password of ['nobody', "the keeper's", 'pleaseletmein', "both's", PASSWORD]) {
      expect((await as('nobody', password, USE)).status).toBe(401);
    }
  });
});

describe('whoever guesses', () => {
  const start = () => startWith({ USERS_FILE: usersFile('cheap', CHEAP_USERS) });

  /**
   * Guesses until the pause is one that a busy machine does not let pass before it asks again: each failure doubles it.
   * @returns the statuses of those that were looked at
   */
  async function guessUntilPaused(nameOf: (n: number) => string, at: RunningGateway): Promise<number[]> {
    const looked: number[] = [];
    for (let seconds = 0; seconds < 3;) {
      const { status, headers } = await as(nameOf(looked.length), `guess ${looked.length}`, USE, at);
      seconds = Number(headers['retry-after'] ?? 0);
      if (status !== 429) looked.push(status);
    }
    return looked;
  }

  it('is slowed: five failures are free for a user, then even the right password waits, and others do not', async () => {
    const guessed = await start();
    // The first six at once, the seventh and the eighth after the pauses that those before cost.
    expect(await guessUntilPaused(() => 'one', guessed)).toEqual(Array.from({ length: 8 }, () => 401));
    const right = await as('one', "one's", USE, guessed);
    expect(right).toMatchObject({ status: 429, body: { err: { code: 'REQ::TOO_MANY_REQUESTS' } } });
    expect(Number(right.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await as('other', "other's", USE, guessed)).status).toBe(400);
    for (const secret of ['guess 0', "one's", "other's"]) expect(guessed.logged()).not.toContain(secret);
  });

  it('under many names slows strangers at its address, not a user that is known, nor a guess at the known password', async () => {
    const guessed = await start();
    expect((await as('one', "one's", USE, guessed)).status).toBe(400);
    // Fifty are free for an address.
    const names = Array.from({ length: 51 }, (_, n) => as(`user ${n}`, 'guess', USE, guessed));
    expect(new Set((await Promise.all(names)).map(({ status }) => status))).toEqual(new Set([401]));
    await guessUntilPaused((n) => `another ${n}`, guessed);
    expect((await as('other', "other's", USE, guessed)).status).toBe(429);
    expect((await as('one', "one's", USE, guessed)).status).toBe(400);
    for (let n = 0; n < 6; n += 1) await as('one', `guess ${n}`, USE, guessed);
    await guessUntilPaused(() => 'one', guessed);
    expect((await as('one', "one's", USE, guessed)).status).toBe(429);
  });

  it('in parallel gains nothing: failures that are in line count for those behind them', async () => {
    const guessed = await start();
    const all = Array.from({ length: 40 }, (_, n) => as('one', `guess ${n}`, USE, guessed));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    // Two are hashed at once: one may be under way while the sixth failure is counted.
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(7);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
  });
});

describe('a password', () => {
  it('is hashed for the first request alone', async () => {
    const hashed = await startWith({
      BASIC_AUTH_USERNAME: 'one',
      BASIC_AUTH_PASSWORD_HASH: HASH_OF_PLEASELETMEIN,
    });
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => as('one', 'pleaseletmein', USE, hashed)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
  });

  it('is hashed by a command, for a line of the settings or of the file', async () => {
    const program = resolve('apps/gateway/dist/src/hash-password.js');
    const run = promisify(execFile)(process.execPath, [program]);
    run.child.stdin?.end('from a command\n');
    const line = (await run).stdout.trim();
    const users = `users: [{ name: one, passwordHash: "${line}", rights: [messages] }]`;
    const hashed = await startWith({ USERS_FILE: usersFile('command', users) });
    expect((await as('one', 'from a command', USE, hashed)).status).toBe(400);
  });
});
