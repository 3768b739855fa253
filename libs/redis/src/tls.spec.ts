import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authority, createAuthority, type Credential } from '@ssb/certificates';
import { freePort } from '@ssb/free-ports';
import { findRedisProgram } from '@ssb/redis-server';
import type { Redis } from 'ioredis';
import { connectRedis } from './connect.js';
import { explainConnectionError } from './connection-errors.js';
import type { RedisSettings } from './credentials.js';
import { checkDurability } from './durability.js';

let folder: string;
let tlsPort: number;
let plainPort: number;
let stopServer: () => Promise<void>;
let settings: RedisSettings;
let opened: Redis[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'redis-tls-'));
  const authority = await createAuthority({ name: 'Redis authority', now: new Date() });
  writeFileSync(file('ca.pem'), authority.cert);
  writeCredential('server', await issue(authority, 'server'));
  writeCredential('client', await issue(authority, 'client'));
  const other = await createAuthority({ name: 'another authority', now: new Date() });
  writeFileSync(file('other-ca.pem'), other.cert);
  [tlsPort, plainPort] = [await freePort(), await freePort()];
  stopServer = startTlsServer();
  settings = {
    REDIS_URL: `rediss://127.0.0.1:${tlsPort}`,
    REDIS_CA_FILE: file('ca.pem'),
    REDIS_CERT_FILE: file('client.crt'),
    REDIS_KEY_FILE: file('client.key'),
  };
  const ready = connectRedis(settings, { name: 'ready', blocking: true });
  await ready.ping();
  ready.disconnect();
});

beforeEach(() => (opened = []));
afterEach(() => opened.forEach((connection) => connection.disconnect()));

afterAll(async () => {
  await stopServer();
  rmSync(folder, { recursive: true });
});

const file = (name: string): string => join(folder, name);

function issue(authority: Authority, usage: 'server' | 'client'): Promise<Credential> {
  return authority.issue({ commonName: usage, hosts: usage === 'server' ? ['127.0.0.1'] : [], usage });
}

function writeCredential(name: string, { cert, key }: Credential): void {
  writeFileSync(file(`${name}.crt`), cert);
  writeFileSync(file(`${name}.key`), key);
}

/** A Redis that requires client certificates. Its other port serves no TLS. */
function startTlsServer(): () => Promise<void> {
  const options = {
    port: String(plainPort),
    'tls-port': String(tlsPort),
    'tls-cert-file': file('server.crt'),
    'tls-key-file': file('server.key'),
    'tls-ca-cert-file': file('ca.pem'),
    bind: '127.0.0.1',
    dir: folder,
    appendonly: 'yes',
    save: '',
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const program = findRedisProgram(process.env['PATH'] ?? '') ?? 'redis-server';
  const child = spawn(program, args, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  return async () => {
    child.kill();
    await ended;
  };
}

function connect(changes: Partial<RedisSettings>, onError?: (error: Error) => void): Redis {
  const connection = connectRedis({ ...settings, ...changes }, { name: 'test', blocking: true, onError });
  opened.push(connection);
  return connection;
}

it('connects with the authority and a client certificate, and so does a duplicate', async () => {
  const connection = connect({});
  expect(await checkDurability(connection, { production: true })).toEqual([]);
  const duplicate = connection.duplicate();
  opened.push(duplicate);
  expect(await duplicate.ping()).toBe('PONG');
});

it.each<[string, Partial<RedisSettings> | (() => Partial<RedisSettings>), RegExp]>([
  [
    'another authority',
    () => ({ REDIS_CA_FILE: file('other-ca.pem') }),
    /with TLS: its certificate is not trusted; set REDIS_CA_FILE/,
  ],
  [
    'another host name',
    () => ({ REDIS_URL: `rediss://localhost:${tlsPort}` }),
    /its certificate is for another host; use a host name/,
  ],
])('a start ends at once with a sentence for %s', async (_, changes, sentence) => {
  const connection = connect(typeof changes === 'function' ? changes() : changes);
  await expect(checkDurability(connection, { production: false })).rejects.toMatchObject({
    startFault: 'configuration',
    message: expect.stringMatching(sentence),
  });
});

it.each<[string, () => Partial<RedisSettings>, RegExp]>([
  [
    'no client certificate',
    () => ({ REDIS_CERT_FILE: undefined, REDIS_KEY_FILE: undefined }),
    /requires a client certificate.* set REDIS_CERT_FILE and REDIS_KEY_FILE\.$/,
  ],
  [
    'a port that requires TLS',
    () => ({
      REDIS_URL: `redis://127.0.0.1:${tlsPort}`,
      REDIS_CA_FILE: undefined,
      REDIS_CERT_FILE: undefined,
      REDIS_KEY_FILE: undefined,
    }),
    /if its port requires TLS, use rediss:\/\/ in REDIS_URL\.$/,
  ],
])('the failure of a connection is explained: %s', async (_, changes, sentence) => {
  const error = await new Promise<Error>((resolve) => connect(changes(), resolve));
  expect(explainConnectionError(opened[0] as Redis, error).message).toMatch(sentence);
});

it('the time-out of a handshake at a port without TLS is explained', () => {
  const connection = connect({ REDIS_URL: `rediss://127.0.0.1:${plainPort}` });
  const error = Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' });
  expect(explainConnectionError(connection, error).message).toMatch(
    /connect ETIMEDOUT; if its port serves no TLS, use redis:\/\/ in REDIS_URL\.$/,
  );
});

it('a key of another certificate is refused', () => {
  expect(() => connect({ REDIS_KEY_FILE: file('server.key') })).toThrow(
    /server\.key is not the private key of the certificate in .*client\.crt/,
  );
});
