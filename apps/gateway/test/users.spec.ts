import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { basicAuthorization } from '@ssb/bus';
import { freePort } from '@ssb/dev/free-ports';
import { WebSocket } from 'ws';
import { cheapHash, HASH_OF_PLEASELETMEIN } from './support/password-hashes.js';
import { call } from './support/http-call.js';
import { PASSWORD, startGateway, USERNAME, type RunningGateway } from './support/running-gateway.js';

/** Requires the right `config`. */
const CONFIG = '/api/v1/config/identity';
/** Requires the right `messages`. */
const USE = '/api/v1/verifysignature';

const USERS = `
users:
  - { name: admin, password: "the admin's", rights: [config] }
  - { name: sender, passwordHash: "${HASH_OF_PLEASELETMEIN}", rights: [messages] }
  - { name: both, passwordHash: "${cheapHash("both's")}", rights: [config, messages] }
`;

let folder: string;
/** No broker listens here. */
let unreachableBrokerUrl: string;
let gateway: RunningGateway;
const running: RunningGateway[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-users-'));
  unreachableBrokerUrl = `http://127.0.0.1:${await freePort()}`;
  gateway = await startGateway(unreachableBrokerUrl, { USERS_FILE: usersFile('users', USERS) });
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

/** Starts a gateway without BASIC_AUTH_* settings, unless `overrides` contains them. */
async function startWith(overrides: Readonly<Record<string, string>>): Promise<RunningGateway> {
  const started = await startGateway(unreachableBrokerUrl, {
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

/** Requests a WebSocket upgrade of `/events`. @returns the response status; 101 when it is accepted */
function upgrade(name: string, password: string): Promise<number> {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/events`, 'dsb-messages', {
    headers: { authorization: basicAuthorization(name, password) },
  });
  return new Promise((resolveStatus) => {
    socket.on('open', () => {
      socket.terminate();
      resolveStatus(101);
    });
    socket.on('unexpected-response', (_request, response) => {
      response.resume();
      resolveStatus(response.statusCode ?? 0);
    });
    socket.on('error', () => undefined);
  });
}

describe('a user', () => {
  // 400 shows that the user was authorized: no identity is configured, and the body has nothing to verify.
  it.each([
    ['admin', "the admin's", 400, 403, 403],
    ['sender', 'pleaseletmein', 403, 400, 101],
    ['both', "both's", 400, 400, 101],
    [USERNAME, PASSWORD, 400, 400, 101],
  ])('%s has only its rights', async (name, password, configStatus, messagesStatus, eventsStatus) => {
    const missing = (right: string) => ({
      err: { code: 'REQ::FORBIDDEN', additionalInformation: { right } },
    });
    const configured = await callAs(name, password, CONFIG);
    expect(configured.status).toBe(configStatus);
    if (configStatus === 403) expect(configured.body).toMatchObject(missing('config'));
    const used = await callAs(name, password, USE);
    expect(used.status).toBe(messagesStatus);
    if (messagesStatus === 403) expect(used.body).toMatchObject(missing('messages'));
    expect(await upgrade(name, password)).toBe(eventsStatus);
  });

  it.each([
    ['a wrong password', 'admin', "the admins'"],
    ["another user's password", 'admin', 'pleaseletmein'],
    ['the hash itself', 'sender', HASH_OF_PLEASELETMEIN],
    ['no password', 'both', ''],
    ['an unknown name and the password of another user', 'unknown', "the admin's"],
    ['an unknown name and a hashed password of another user', 'unknown', 'pleaseletmein'],
  ])('is not authenticated with %s', async (_name, name, password) => {
    for (const path of [CONFIG, USE]) {
      const answer = await callAs(name, password, path);
      expect(answer).toMatchObject({ status: 401, body: { err: { code: 'REQ::UNAUTHENTICATED' } } });
      expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
    }
    expect(await upgrade(name, password)).toBe(401);
  });
});

describe('a password', () => {
  it('is hashed by the hash-password command, for the users file', async () => {
    const program = resolve('apps/gateway/dist/src/hash-password.js');
    const run = promisify(execFile)(process.execPath, [program]);
    run.child.stdin?.end('from a command\n');
    const line = (await run).stdout.trim();
    const users = `users: [{ name: one, passwordHash: "${line}", rights: [messages] }]`;
    const hashed = await startWith({ USERS_FILE: usersFile('command', users) });
    expect((await callAs('one', 'from a command', USE, hashed)).status).toBe(400);
  });
});
