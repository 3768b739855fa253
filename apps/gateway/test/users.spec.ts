import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { rename, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { basicAuthorization, CLOSE_REFUSED, frameText } from '@ssb/bus';
import { waitFor } from '@ssb/testing';
import { WebSocket } from 'ws';
import { call } from './support/http-call.js';
import { cheapHash, HASH_OF_PLEASELETMEIN } from './support/password-hashes.js';
import { PASSWORD, startGateway, USERNAME, type RunningGateway } from './support/running-gateway.js';
import { afterLogin, respondJson, startStubBroker } from './support/stub-broker.js';
import { connectAs, upgradeAs } from './support/user-socket.js';

/** Requires the right `config`. */
const CONFIG = '/api/v1/config/identity';
/** Requires the right `messages`. */
const USE = '/api/v1/verifysignature';
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

let folder: string;
const running: RunningGateway[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-users-'));
});

afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeUsers(name: string, ...users: string[]): string {
  const path = join(folder, `${name}.yaml`);
  writeFileSync(path, `users:\n${users.map((each) => `  - ${each}\n`).join('')}`);
  return path;
}

const user = (name: string, password: string, rights = 'messages') =>
  `{ name: ${name}, passwordHash: "${cheapHash(password)}", rights: [${rights}] }`;

/** Starts a gateway without BASIC_AUTH_* settings, unless `overrides` contains them. */
async function startWith(
  usersFile: string,
  overrides: Readonly<Record<string, string>> = {},
): Promise<RunningGateway> {
  const started = await startGateway(NOWHERE, {
    USERS_FILE: usersFile,
    BASIC_AUTH_USERNAME: '',
    BASIC_AUTH_PASSWORD: '',
    FILES_RELOAD_INTERVAL_MS: '50',
    ...overrides,
  });
  running.push(started);
  return started;
}

const callAs = (gateway: RunningGateway, name: string, password: string, path = USE) =>
  call(
    gateway,
    path === CONFIG ? 'GET' : 'POST',
    path,
    path === CONFIG ? undefined : {},
    basicAuthorization(name, password),
  );

/** 400 shows that the user is allowed: no identity is configured, and the body has nothing to verify. */
const status = async (gateway: RunningGateway, name: string, password: string) =>
  (await callAs(gateway, name, password)).status;

async function reloads({ managementUrl }: RunningGateway, outcome: 'applied' | 'refused'): Promise<number> {
  const metrics = await (await fetch(`${managementUrl}/metrics`)).text();
  const name = `settlement_bus_gateway_users_reloads_total{outcome="${outcome}"}`;
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(metrics)?.[1] ?? 0);
}

describe('a user', () => {
  const admin = `{ name: admin, password: "the admin's", rights: [config] }`;
  const sender = `{ name: sender, passwordHash: "${HASH_OF_PLEASELETMEIN}", rights: [messages] }`;

  it('has only its rights, with a password, or with its hash as the hash-password command prints it', async () => {
    const program = resolve('apps/gateway/dist/src/hash-password.js');
    const run = promisify(execFile)(process.execPath, [program]);
    run.child.stdin?.end('from a command\n');
    const both = `{ name: both, passwordHash: "${(await run).stdout.trim()}", rights: [config, messages] }`;
    const file = writeUsers('rights', admin, sender, both);
    const basic = { BASIC_AUTH_USERNAME: USERNAME, BASIC_AUTH_PASSWORD: PASSWORD };
    const gateway = await startWith(file, basic);
    const missing = (right: string) => ({
      err: { code: 'REQ::FORBIDDEN', additionalInformation: { right } },
    });
    for (const [name, password, config, messages, events] of [
      ['admin', "the admin's", 400, 403, 403],
      ['sender', 'pleaseletmein', 403, 400, 101],
      ['both', 'from a command', 400, 400, 101],
      [USERNAME, PASSWORD, 400, 400, 101],
    ] as const) {
      const configured = await callAs(gateway, name, password, CONFIG);
      const used = await callAs(gateway, name, password, USE);
      const upgraded = await upgradeAs(gateway, name, password);
      expect([name, configured.status, used.status, upgraded]).toEqual([name, config, messages, events]);
      if (config === 403) expect(configured.body).toMatchObject(missing('config'));
      if (messages === 403) expect(used.body).toMatchObject(missing('messages'));
    }
  });

  it('is not authenticated with any other password', async () => {
    const gateway = await startWith(writeUsers('wrong', admin, user('both', "both's", 'config, messages')));
    for (const [name, password] of [
      ['admin', "the admins'"],
      // That of another user.
      ['admin', "both's"],
      // The hash itself.
      ['both', cheapHash("both's")],
      ['both', ''],
      ['unknown', "the admin's"],
    ] as const) {
      for (const path of [CONFIG, USE]) {
        const response = await callAs(gateway, name, password, path);
        expect(response).toMatchObject({ status: 401, body: { err: { code: 'REQ::UNAUTHENTICATED' } } });
        expect(response.headers['www-authenticate']).toMatch(/^Basic realm=/);
      }
      expect(await upgradeAs(gateway, name, password)).toBe(401);
    }
  });
});

describe('a users file that changes', () => {
  it('is read again when its link changes; a faulty one is refused and the users stay', async () => {
    // Kubernetes mounts a secret as a link, which it replaces in one step.
    const link = join(folder, 'linked.yaml');
    const plain = '{ name: plain, password: "stays as it is", rights: [messages] }';
    symlinkSync(writeUsers('one', user('early', 'first'), plain), link);
    const changeLink = async (target: string) => {
      await symlink(target, `${link}.next`);
      await rename(`${link}.next`, link);
    };
    const gateway = await startWith(link);
    const statuses = async () => [
      await status(gateway, 'early', 'first'),
      await status(gateway, 'plain', 'stays as it is'),
      await status(gateway, 'late', 'second'),
    ];
    expect(await statuses()).toEqual([400, 400, 401]);

    const faulty = '{ name: bad, password: hidden-word, rights: [] }';
    await changeLink(writeUsers('two', user('late', 'second'), faulty));
    await waitFor('the refusal', async () => (await reloads(gateway, 'refused')) === 1);
    expect(gateway.logged()).toMatch(/users\.1\.rights takes one or more of/);
    expect(gateway.logged()).not.toContain('hidden-word');
    expect(await statuses()).toEqual([400, 400, 401]);

    await changeLink(writeUsers('three', user('late', 'second'), plain));
    await waitFor('the new users', async () => (await reloads(gateway, 'applied')) === 1);
    expect(await statuses()).toEqual([401, 400, 400]);

    rmSync(link);
    await waitFor('the missing file is logged', () => gateway.logged().includes('cannot be read (ENOENT)'));
    expect(await status(gateway, 'late', 'second')).toBe(400);
  });

  it('accepts every password of a user, and ends the WebSockets of one that is removed', async () => {
    const write = (...passwords: string[]) => {
      const hashes = passwords.map((each) => `"${cheapHash(each)}"`).join(', ');
      return writeUsers('rotated', `{ name: app, passwordHashes: [${hashes}], rights: [messages] }`);
    };
    const gateway = await startWith(write('old'));
    const old = await connectAs(gateway, 'app', 'old');
    write('old', 'new');
    await waitFor('the new users', async () => (await reloads(gateway, 'applied')) === 1);
    for (const password of ['old', 'new']) expect(await status(gateway, 'app', password)).toBe(400);
    expect(await status(gateway, 'app', 'other')).toBe(401);
    const current = await connectAs(gateway, 'app', 'new');
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
    const names = ['removed', 'changed', 'restricted', 'unchanged'];
    const gateway = await startWith(writeUsers('sockets', ...names.map((name) => user(name, 'before'))));
    const sockets = await Promise.all(names.map((name) => connectAs(gateway, name, 'before')));
    const unchanged = sockets.pop();
    const ends = sockets.map(async (socket) => {
      const [[data], [code]] = (await Promise.all([once(socket, 'message'), once(socket, 'close')])) as [
        [Buffer],
        [number],
      ];
      return [(JSON.parse(frameText(data)) as { err: { code: string } }).err.code, code];
    });
    writeUsers(
      'sockets',
      user('unchanged', 'before', 'config, messages'),
      user('changed', 'after'),
      user('restricted', 'before', 'config'),
    );
    expect(await Promise.all(ends)).toEqual(Array(3).fill(['REQ::UNAUTHENTICATED', CLOSE_REFUSED]));
    expect(unchanged?.readyState).toBe(WebSocket.OPEN);
    unchanged?.terminate();
  });

  it('lets a user that is removed after its WebSocket closed send nothing more', async () => {
    const sent: string[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const broker = await startStubBroker();
    broker.respond = afterLogin((request, response) => {
      if (request.url !== '/message') return respondJson(response, 404, {});
      // A client that leaves within its request gets no response.
      void text(request).then(
        async (body) => {
          sent.push((JSON.parse(body) as { payload: string }).payload);
          await held;
          respondJson(response, 201, { id: 'id' });
        },
        () => undefined,
      );
    });
    const both = 'config, messages';
    const gateway = await startWith(writeUsers('gone', user('gone', 'x', both), user('stays', 'x', both)), {
      BROKER_URL: broker.url,
    });
    try {
      await call(gateway, 'POST', CONFIG, { privateKey: '1'.repeat(64) }, basicAuthorization('gone', 'x'));
      const socket = await connectAs(gateway, 'gone', 'x');
      socket.send(JSON.stringify(['1', '2', '3'].map((payload) => ({ fqcn: 'a', payload }))));
      await waitFor('the first message is being sent', () => sent.length === 1);
      socket.close();
      await once(socket, 'close');
      writeUsers('gone', user('stays', 'x', both));
      await waitFor('the removal', async () => (await reloads(gateway, 'applied')) === 1);
      release();
      const message = { fqcn: 'a', payload: 'of another user' };
      await call(gateway, 'POST', '/api/v1/message', message, basicAuthorization('stays', 'x'));
      await gateway.stop();
      expect(sent).toEqual(['1', 'of another user']);
    } finally {
      running.splice(0);
      await broker.stop();
    }
  });
});
