import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authority, createAuthority, type Credential } from '@ssb/dev/certificates';
import { freePort } from '@ssb/dev/free-ports';
import { findRedisProgram } from '@ssb/dev/redis-server';
import { waitFor } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { connectRedis } from './connect.js';
import { explainConnectionError } from './connection-errors.js';
import type { RedisSettings } from './servers.js';
import { checkDurability } from './durability.js';

let folder: string;
let tlsPort: number;
let plainPort: number;
let sentinelPort: number;
let stopServers: (() => Promise<void>)[];
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
  [tlsPort, plainPort, sentinelPort] = [await freePort(), await freePort(), await freePort()];
  stopServers = [await startTlsServer(), startTlsSentinel()];
  settings = {
    REDIS_URL: `rediss://127.0.0.1:${tlsPort}`,
    REDIS_CA_FILE: file('ca.pem'),
    REDIS_CERT_FILE: file('client.crt'),
    REDIS_KEY_FILE: file('client.key'),
  };
  const ready = connectRedis(settings, { name: 'ready', blocking: true });
  // Before that, the server is a node of a cluster without slots.
  await ready.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
  await waitFor('the cluster', async () =>
    String(await ready.call('CLUSTER', 'INFO')).includes('cluster_state:ok'),
  );
  ready.disconnect();
});

beforeEach(() => (opened = []));
afterEach(() => opened.forEach((connection) => connection.disconnect()));

afterAll(async () => {
  await Promise.all(stopServers.map((stop) => stop()));
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

const tlsOptions = () => ({
  'tls-cert-file': file('server.crt'),
  'tls-key-file': file('server.key'),
  'tls-ca-cert-file': file('ca.pem'),
  bind: '127.0.0.1',
  dir: folder,
});

/** A Redis that requires client certificates, and is a Redis Cluster of one node. Its other port serves no TLS. */
async function startTlsServer(): Promise<() => Promise<void>> {
  const options = {
    ...tlsOptions(),
    port: String(plainPort),
    'tls-port': String(tlsPort),
    'cluster-enabled': 'yes',
    'cluster-port': String(await freePort()),
    'cluster-announce-ip': '127.0.0.1',
    // Otherwise a node of Redis 7.0 announces its other port.
    'tls-cluster': 'yes',
    appendonly: 'yes',
    save: '',
  };
  return startProgram(Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]));
}

/** A Sentinel that requires client certificates, and names that Redis. */
function startTlsSentinel(): () => Promise<void> {
  const options = { ...tlsOptions(), port: '0', 'tls-port': String(sentinelPort) };
  const lines = Object.entries(options).map(([name, value]) => `${name} ${value}`);
  lines.push(`sentinel monitor bridge 127.0.0.1 ${tlsPort} 1`);
  writeFileSync(file('sentinel.conf'), `${lines.join('\n')}\n`);
  return startProgram([file('sentinel.conf'), '--sentinel']);
}

function startProgram(args: readonly string[]): () => Promise<void> {
  const program = findRedisProgram(process.env['PATH'] ?? '') ?? 'redis-server';
  const child = spawn(program, args, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  return async () => {
    child.kill();
    await ended;
  };
}

function connect(changes: Partial<RedisSettings>, onError?: (error: Error) => void): Redis {
  const changed = { ...settings, ...changes };
  const connection = connectRedis(changed, { name: 'test', blocking: true, onError }) as Redis;
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

const sentinels = (): Partial<RedisSettings> => ({
  REDIS_URL: undefined,
  REDIS_SENTINELS: `rediss://127.0.0.1:${sentinelPort}`,
  REDIS_SENTINEL_MASTER: 'bridge',
});
const cluster = (): Partial<RedisSettings> => ({
  REDIS_URL: undefined,
  REDIS_CLUSTER_NODES: ` rediss://127.0.0.1:${tlsPort}`,
});

it.each([
  ['Sentinel', sentinels],
  ['Cluster', cluster],
])('connects with TLS to a Redis %s, and so does a duplicate', async (_, servers) => {
  const connection = connect(servers());
  expect(await checkDurability(connection, { production: true, writableKey: 'key' })).toEqual([]);
  const duplicate = connection.duplicate();
  opened.push(duplicate);
  expect(await duplicate.get('key')).toBe('1');
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
    'another authority of a Sentinel',
    () => ({ ...sentinels(), REDIS_CA_FILE: file('other-ca.pem') }),
    /^A Sentinel of REDIS_SENTINELS cannot be used: .+; check REDIS_SENTINELS, .+ REDIS_CA_FILE and/,
  ],
  [
    'another authority of a Cluster',
    () => ({ ...cluster(), REDIS_CA_FILE: file('other-ca.pem') }),
    /^The Redis of REDIS_CLUSTER_NODES cannot be used: .+; check REDIS_CLUSTER_NODES, .+ REDIS_CA_FILE and/,
  ],
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
