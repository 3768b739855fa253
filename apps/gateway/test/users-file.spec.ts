import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { rename, symlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { basicAuthorization, CLOSE_REFUSED, frameText } from '@ssb/bus';
import { freePort } from '@ssb/dev/free-ports';
import { WebSocket } from 'ws';
import { waitFor } from '@ssb/testing';
import { cheapHash } from './support/password-hashes.js';
import { call } from './support/http-call.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** USERS_FILE: what it may contain, and that it is reloaded. No real broker runs. */
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

function writeUsers(name: string, ...users: string[]): string {
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

async function reloads({ managementUrl }: RunningGateway, outcome: 'applied' | 'refused'): Promise<number> {
  const metrics = await (await fetch(`${managementUrl}/metrics`)).text();
  const found = new RegExp(
    `^settlement_bus_gateway_users_reloads_total{outcome="${outcome}"} (\\d+)`,
    'm',
  ).exec(metrics);
  return Number(found?.[1] ?? 0);
}

const connect = async ({ url }: RunningGateway, name: string, password: string) => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/events`, 'dsb-messages', {
    headers: { authorization: basicAuthorization(name, password) },
  });
  await once(socket, 'open');
  return socket;
};

describe('a users file that changes', () => {
  const user = (name: string, password: string, rights = 'messages') =>
    `{ name: ${name}, passwordHash: "${cheapHash(password)}", rights: [${rights}] }`;

  /** 400 is the operation's answer to an allowed user: there is nothing to verify. */
  const status = async (gateway: RunningGateway, name: string, password: string) =>
    (await call(gateway, 'POST', USE, {}, basicAuthorization(name, password))).status;

  it('is read again when its link changes; a faulty one is refused and the users stay', async () => {
    // Kubernetes mounts a secret as a link, which it replaces in one step.
    const link = join(folder, 'linked.yaml');
    const plain = '{ name: plain, password: "stays as it is", rights: [messages] }';
    symlinkSync(writeUsers('one.yaml', user('early', 'first'), plain), link);
    const changeLink = async (target: string) => {
      await symlink(target, `${link}.next`);
      await rename(`${link}.next`, link);
    };
    const gateway = await startWith({ USERS_FILE: link });
    expect(await status(gateway, 'early', 'first')).toBe(400);
    expect(await status(gateway, 'plain', 'stays as it is')).toBe(400);
    expect(await status(gateway, 'late', 'second')).toBe(401);

    await changeLink(
      writeUsers('two.yaml', user('late', 'second'), '{ name: bad, password: hidden-word, rights: [] }'),
    );
    await waitFor('the refusal', async () => (await reloads(gateway, 'refused')) === 1);
    expect(gateway.logged()).toMatch(/users\.1\.rights takes one or more of/);
    expect(gateway.logged()).not.toContain('hidden-word');
    expect(await status(gateway, 'early', 'first')).toBe(400);
    expect(await status(gateway, 'late', 'second')).toBe(401);

    await changeLink(writeUsers('three.yaml', user('late', 'second'), plain));
    await waitFor('the new users', async () => (await reloads(gateway, 'applied')) === 1);
    expect(await status(gateway, 'late', 'second')).toBe(400);
    expect(await status(gateway, 'plain', 'stays as it is')).toBe(400);
    expect(await status(gateway, 'early', 'first')).toBe(401);

    rmSync(link);
    await waitFor('the missing file is logged', () => gateway.logged().includes('cannot be read (ENOENT)'));
    expect(await status(gateway, 'late', 'second')).toBe(400);
  });

  it('accepts every password of a user, and ends the WebSockets of one that is removed', async () => {
    const write = (...passwords: string[]) => {
      const hashes = passwords.map((each) => `"${cheapHash(each)}"`).join(', ');
      return writeUsers('rotated.yaml', `{ name: app, passwordHashes: [${hashes}], rights: [messages] }`);
    };
    const gateway = await startWith({ USERS_FILE: write('old') });
    const old = await connect(gateway, 'app', 'old');
    write('old', 'new');
    await waitFor('the new users', async () => (await reloads(gateway, 'applied')) === 1);
    for (const password of ['old', 'new']) expect(await status(gateway, 'app', password)).toBe(400);
    expect(await status(gateway, 'app', 'other')).toBe(401);
    const current = await connect(gateway, 'app', 'new');
    expect(old.readyState).toBe(WebSocket.OPEN);
    const ended = once(old, 'close');
    write('new');
    expect((await ended)[0]).toBe(CLOSE_REFUSED);
    expect(await status(gateway, 'app', 'old')).toBe(401);
    expect(await status(gateway, 'app', 'new')).toBe(400);
    expect(current.readyState).toBe(WebSocket.OPEN);
    current.terminate();
  });

  it('closes the WebSockets of users that were removed, changed or lost the right, and of no others', async () => {
    const names = ['removed', 'changed', 'restricted', 'unchanged'] as const;
    const before = names.map((name) => user(name, 'before'));
    const gateway = await startWith({ USERS_FILE: writeUsers('sockets.yaml', ...before) });
    const [removed, changed, restricted, unchanged] = await Promise.all(
      names.map((name) => connect(gateway, name, 'before')),
    );
    const errors: string[] = [];
    const ends = [removed, changed, restricted].map(async (socket) => {
      socket?.on('message', (data) => errors.push(frameText(data)));
      return socket && ((await once(socket, 'close')) as [number])[0];
    });
    writeUsers(
      'sockets.yaml',
      user('unchanged', 'before', 'config, messages'),
      user('changed', 'after'),
      user('restricted', 'before', 'config'),
    );
    expect(await Promise.all(ends)).toEqual([CLOSE_REFUSED, CLOSE_REFUSED, CLOSE_REFUSED]);
    expect(errors.map((frame) => (JSON.parse(frame) as { err: { code: string } }).err.code)).toEqual(
      new Array(3).fill('REQ::UNAUTHENTICATED'),
    );
    expect(unchanged?.readyState).toBe(WebSocket.OPEN);
    unchanged?.terminate();
  });
});

it('a user that is removed after its WebSocket closed sends nothing more', async () => {
  const sent: string[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const isMessage = request.url === '/message';
    if (isMessage) {
      sent.push((JSON.parse(body) as { payload: string }).payload);
      await held;
    }
    const success = { token: 't', did: 'did:ethr:0x', address: '0x', signature: '0x', id: 'id' };
    response.writeHead(isMessage ? 201 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(success));
  };
  const broker = createServer((request, response) => void respond(request, response));
  await once(broker.listen(0, '127.0.0.1'), 'listening');
  const user = (name: string) =>
    `{ name: ${name}, passwordHash: "${cheapHash('x')}", rights: [config, messages] }`;
  const gateway = await startWith({
    USERS_FILE: writeUsers('gone.yaml', user('gone'), user('stays')),
    BROKER_URL: `http://127.0.0.1:${(broker.address() as AddressInfo).port}`,
  });
  try {
    const identity = { privateKey: '1'.repeat(64) };
    await call(gateway, 'POST', '/api/v1/config/identity', identity, basicAuthorization('gone', 'x'));
    const socket = await connect(gateway, 'gone', 'x');
    socket.send(JSON.stringify(['1', '2', '3'].map((payload) => ({ fqcn: 'a', payload }))));
    await waitFor('the first message is being sent', () => sent.length === 1);
    socket.close();
    await once(socket, 'close');
    writeUsers('gone.yaml', user('stays'));
    await waitFor('the removal', async () => (await reloads(gateway, 'applied')) === 1);
    release();
    const message = { fqcn: 'a', payload: 'of another user' };
    await call(gateway, 'POST', '/api/v1/message', message, basicAuthorization('stays', 'x'));
    await gateway.stop();
    expect(sent).toEqual(['1', 'of another user']);
  } finally {
    running.splice(0);
    broker.closeAllConnections();
    broker.close();
  }
});

describe('the gateway does not start, and shows no password, when', () => {
  const file = (...users: string[]) => ({ USERS_FILE: writeUsers('wrong.yaml', ...users) });
  const valid = '{ name: both, password: hidden-word, rights: [config] }';
  const scalar = () => {
    writeFileSync(join(folder, 'scalar.yaml'), 'users: hidden-word');
    return { USERS_FILE: join(folder, 'scalar.yaml') };
  };

  it.each([
    ['there are no users', () => ({}), /has no users/],
    ['a user has no password', () => ({ BASIC_AUTH_USERNAME: 'a' }), /requires exactly one/],
    ['there is no file', () => ({ USERS_FILE: join(folder, 'none') }), /cannot be read \(ENOENT\)/],
    ['it is not YAML', () => file('{ name: a, password: "hidden-word'), /not YAML \(\w+ at line \d+\)/],
    ['it is not a list', scalar, /users /],
    ['a field is unknown', () => file('{ name: a, pasword: hidden-word, rights: [config] }'), /users\.0/],
    ['a right is unknown', () => file('{ name: a, password: hidden-word, rights: [all] }'), /rights\.0/],
    [
      'a user has more than three passwords',
      () => file('{ name: a, passwordHashes: [a, b, c, hidden-word], rights: [config] }'),
      /users\.0\.passwordHashes/,
    ],
    ['a user has no rights', () => file('{ name: a, password: hidden-word, rights: [] }'), /one or more of/],
    ['a password is missing', () => file('{ name: a, rights: [config] }'), /either password or passwordHash/],
    [
      'a hash is malformed',
      () => file('{ name: a, passwordHash: hidden-word, rights: [config] }'),
      /user a is refused: it is not a scrypt hash/,
    ],
    [
      'a hash costs too little',
      () => file(`{ name: a, passwordHash: "${cheapHash('a').replace('10', '9')}", rights: [config] }`),
      /not a scrypt hash/,
    ],
    [
      'a name has a colon',
      () => file('{ name: "a:b", password: hidden-word, rights: [config] }'),
      /without a colon/,
    ],
    ['a name is repeated', () => file(valid, valid), /twice/],
    [
      'a name is in the file and in the settings',
      () => ({ BASIC_AUTH_USERNAME: 'both', BASIC_AUTH_PASSWORD: 'hidden-word', ...file(valid) }),
      /is also a user of USERS_FILE/,
    ],
  ])('%s', async (_name, settings, message) => {
    const error: unknown = await startWith(settings()).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain('hidden-word');
  });
});
