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

/** Authentication and rights of users, without a broker. */
const CONFIG = '/api/v1/config/identity';
const USE = '/api/v1/verifysignature';

const USERS = `
users:
  - { name: admin, password: "the admin's", rights: [config] }
  - { name: sender, passwordHash: "${HASH_OF_PLEASELETMEIN}", rights: [messages] }
  - { name: both, passwordHash: "${cheapHash("both's")}", rights: [config, messages] }
`;

/** Users whose passwords take little time to check. */
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

/** A gateway without BASIC_AUTH_*, unless the overrides have them. */
async function startWith(overrides: Readonly<Record<string, string>>): Promise<RunningGateway> {
  const started = await startGateway(nowhere, {
    BASIC_AUTH_USERNAME: '',
    BASIC_AUTH_PASSWORD: '',
    ...overrides,
  });
  running.push(started);
  return started;
}

const callAs = (name: string, password: string, path: string, server = gateway) =>
  call(
    server,
    path === CONFIG ? 'GET' : 'POST',
    path,
    path === CONFIG ? undefined : {},
    basicAuthorization(name, password),
  );

/** The status of the response to an upgrade of `/events`; 101 when it is accepted. */
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
    ['admin', "the admin's", 400, 403, 403],
    ['sender', 'pleaseletmein', 403, 400, 101],
    ['both', "both's", 400, 400, 101],
    [USERNAME, PASSWORD, 400, 400, 101],
  ])('of %s', async (name, password, config, use, events) => {
    const missing = (right: string) => ({
      err: { code: 'REQ::FORBIDDEN', additionalInformation: { right } },
    });
    const configured = await callAs(name, password, CONFIG);
    expect(configured.status).toBe(config);
    if (config === 403) expect(configured.body).toMatchObject(missing('config'));
    const used = await callAs(name, password, USE);
    expect(used.status).toBe(use);
    if (use === 403) expect(used.body).toMatchObject(missing('messages'));
    expect(await upgrade(name, password)).toBe(events);
  });

  it.each([
    ['another password', 'admin', "the admins'"],
    ["another user's password", 'admin', 'pleaseletmein'],
    ['the hash itself', 'sender', HASH_OF_PLEASELETMEIN],
    ['no password', 'both', ''],
  ])('are refused with %s', async (_name, name, password) => {
    for (const path of [CONFIG, USE]) {
      const answer = await callAs(name, password, path);
      expect(answer).toMatchObject({ status: 401, body: { err: { code: 'REQ::UNAUTHENTICATED' } } });
      expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
    }
    expect(await upgrade(name, password)).toBe(401);
  });

  it('are refused to an unknown user, also with the password of another', async () => {
    for (const password of ['unknown', "the admin's", 'pleaseletmein', "both's", PASSWORD]) {
      expect((await callAs('unknown', password, USE)).status).toBe(401);
    }
  });
});

describe('a client that guesses passwords', () => {
  const start = () => startWith({ USERS_FILE: usersFile('cheap', CHEAP_USERS) });

  /**
   * Guesses until the pause is longer than a busy machine needs for the next request: each failure doubles it.
   * @returns the statuses of the guesses that were checked
   */
  async function guessUntilPaused(nameOf: (n: number) => string, server: RunningGateway): Promise<number[]> {
    const checked: number[] = [];
    for (let seconds = 0; seconds < 3;) {
      const { status, headers } = await callAs(
        nameOf(checked.length),
        `guess ${checked.length}`,
        USE,
        server,
      );
      seconds = Number(headers['retry-after'] ?? 0);
      if (status !== 429) checked.push(status);
    }
    return checked;
  }

  it('is delayed after five failures of a user, with the right password as well; other users are not', async () => {
    const server = await start();
    // The first six without a pause, the seventh and the eighth after one.
    expect(await guessUntilPaused(() => 'one', server)).toEqual(Array.from({ length: 8 }, () => 401));
    const right = await callAs('one', "one's", USE, server);
    expect(right).toMatchObject({ status: 429, body: { err: { code: 'REQ::TOO_MANY_REQUESTS' } } });
    expect(Number(right.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await callAs('other', "other's", USE, server)).status).toBe(400);
    for (const secret of ['guess 0', "one's", "other's"]) expect(server.logged()).not.toContain(secret);
  });

  it('under many names delays unverified users of its address; verified users are not delayed, but guesses at their password are', async () => {
    const server = await start();
    expect((await callAs('one', "one's", USE, server)).status).toBe(400);
    // An address has fifty failures without a pause.
    const names = Array.from({ length: 51 }, (_, n) => callAs(`user ${n}`, 'guess', USE, server));
    expect(new Set((await Promise.all(names)).map(({ status }) => status))).toEqual(new Set([401]));
    await guessUntilPaused((n) => `another ${n}`, server);
    expect((await callAs('other', "other's", USE, server)).status).toBe(429);
    expect((await callAs('one', "one's", USE, server)).status).toBe(400);
    for (let n = 0; n < 6; n += 1) await callAs('one', `guess ${n}`, USE, server);
    await guessUntilPaused(() => 'one', server);
    expect((await callAs('one', "one's", USE, server)).status).toBe(429);
  });

  it('in parallel gains nothing: queued guesses see the failures before them', async () => {
    const server = await start();
    const all = Array.from({ length: 40 }, (_, n) => callAs('one', `guess ${n}`, USE, server));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    // Two are hashed at once: one may be in progress while the sixth failure is counted.
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(7);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
  });
});

describe('a password', () => {
  it('is hashed for the first request only', async () => {
    const hashed = await startWith({
      BASIC_AUTH_USERNAME: 'one',
      BASIC_AUTH_PASSWORD_HASH: HASH_OF_PLEASELETMEIN,
    });
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => callAs('one', 'pleaseletmein', USE, hashed)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
  });

  it('is hashed by a command, for the settings or the file', async () => {
    const program = resolve('apps/gateway/dist/src/hash-password.js');
    const run = promisify(execFile)(process.execPath, [program]);
    run.child.stdin?.end('from a command\n');
    const line = (await run).stdout.trim();
    const users = `users: [{ name: one, passwordHash: "${line}", rights: [messages] }]`;
    const hashed = await startWith({ USERS_FILE: usersFile('command', users) });
    expect((await callAs('one', 'from a command', USE, hashed)).status).toBe(400);
  });
});
