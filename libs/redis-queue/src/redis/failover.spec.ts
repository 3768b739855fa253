import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect as connectTo, createServer, type AddressInfo, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import {
  startTestCluster,
  startTestSentinels,
  type TestRedisGroup,
  type TestSentinels,
  waitFor,
} from '@ssb/testing';
import { Redis } from 'ioredis';
import { connectRedis } from './connect.js';
import { watchServer } from './connection-events.js';
import { checkDurability, UnsafeRedisError } from './durability.js';
import type { RedisConnection, RedisSettings } from './servers.js';

const KEY = '{bridge}:key';
const REQUIREMENTS = { production: true, writableKey: '{bridge}:writable', acknowledgesWrites: true };

/** WAIT counts only the writes of its own connection, so this writes first. Earlier writes of others precede it in the replication. */
async function waitForReplication(master: Redis): Promise<void> {
  await master.set(`${KEY}:replicated`, '');
  await waitFor('the replication', async () => (await master.wait(1, 1_000)) === 1);
}

let group: TestRedisGroup;
let opened: RedisConnection[];

beforeEach(() => (opened = []));
afterEach(() => opened.forEach((connection) => connection.disconnect()));
afterAll(() => group?.stop());

const passwordFile = (): string => group.settings['REDIS_PASSWORD_FILE'] ?? '';

function connect(settings: RedisSettings = {}, { blocking = false } = {}): RedisConnection {
  const connection = connectRedis({ ...group.settings, ...settings }, { name: 'test', blocking });
  opened.push(connection);
  return connection;
}

describe('with Sentinel', () => {
  let sentinelGroup: TestSentinels;
  let sentinels: Redis[];

  beforeAll(async () => {
    group = sentinelGroup = await startTestSentinels();
    const password = readFileSync(passwordFile(), 'utf8').trim();
    const ports = (group.settings['REDIS_SENTINELS'] ?? '').split(',').map((entry) => entry.split(':')[1]);
    sentinels = ports.map((port) => new Redis({ port: Number(port), password }));
  });
  afterAll(async () => {
    sentinels?.forEach((sentinel) => sentinel.disconnect());
    await group?.stop();
  });

  it('failovers are reported with the new password of the file after the Sentinels have closed the connections', async () => {
    const file = `${passwordFile()}.sentinels`;
    writeFileSync(file, 'first');
    for (const sentinel of sentinels)
      await sentinel.call('ACL', 'SETUSER', 'app', 'on', '>first', '&*', '+@all');
    const settings = { REDIS_SENTINEL_USERNAME: 'app', REDIS_SENTINEL_PASSWORD_FILE: file };
    expect(await checkDurability(connect(settings, { blocking: true }), REQUIREMENTS)).toEqual([]);
    await waitFor('the listeners', async () => (await countListeners()) === sentinels.length);

    for (const sentinel of sentinels) {
      await sentinel.call('ACL', 'SETUSER', 'app', '<first', '>second');
      await sentinel.call('CLIENT', 'KILL', 'USER', 'app');
    }
    writeFileSync(file, 'second');
    await waitFor('the listeners', async () => (await countListeners()) === sentinels.length);
  });

  /** Sentinels that the user `app` listens to. */
  async function countListeners(): Promise<number> {
    const lists = await Promise.all(sentinels.map((sentinel) => sentinel.client('LIST')));
    return lists.filter((list) => /^(?=.* sub=1 )(?=.* user=app )/m.test(String(list))).length;
  }

  it('a password that the Sentinels refuse ends the start with a sentence that names the settings', async () => {
    const file = `${passwordFile()}.wrong`;
    writeFileSync(file, 'wrong');
    const redis = connect({ REDIS_SENTINEL_PASSWORD_FILE: file }, { blocking: true });
    await expect(checkDurability(redis, { production: false })).rejects.toMatchObject({
      startFault: 'configuration',
      message: expect.stringMatching(
        /^A Sentinel of REDIS_SENTINELS refuses the user name or password: WRONGPASS .*; correct REDIS_SENTINEL_USERNAME and REDIS_SENTINEL_PASSWORD_FILE\.$/,
      ),
    });
  });

  it('a connection is opened again although a failover is reported while its Sentinel does not respond', async () => {
    const [first, second] = (group.settings['REDIS_SENTINELS'] ?? '').split(',');
    const waiting: (() => void)[] = [];
    const sockets: Socket[] = [];
    let isOpen = true;
    const gate = createServer((client) => {
      const open = (): void => {
        const sentinel = connectTo(Number(first?.split(':')[1]));
        sockets.push(client, sentinel);
        pipeline(client, sentinel, client, () => {});
      };
      if (isOpen) open();
      else waiting.push(open);
    });
    gate.listen(0, '127.0.0.1');
    await once(gate, 'listening');
    const { port } = gate.address() as AddressInfo;
    const settings = { REDIS_SENTINELS: `127.0.0.1:${port},${second}` };
    const connection = connect(settings, { blocking: true }) as Redis;
    try {
      await connection.set(KEY, 'before');
      const before = await group.masterOf(KEY);
      await waitForReplication(before);
      isOpen = false;
      await before.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await waitFor('the request to the Sentinel', () => waiting.length > 0);
      await sentinelGroup.failOver();
      isOpen = true;
      for (const open of waiting) open();
      expect(await connection.get(KEY)).toBe('before');
    } finally {
      gate.close();
      for (const socket of sockets) socket.destroy();
    }
  });
});

describe('with a cluster', () => {
  beforeAll(async () => {
    group = await startTestCluster({ replicas: true });
  });

  it('an app connects, and finds no risk in the configuration', async () => {
    expect(await checkDurability(connect(), REQUIREMENTS)).toEqual([]);
  });

  it('a risk of a master is found', async () => {
    const master = await group.masterOf('another key');
    await master.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(checkDurability(connect(), { production: true })).rejects.toThrow(UnsafeRedisError);
    await master.config('SET', 'maxmemory-policy', 'noeviction');
  });

  it('a refused password ends the start with a sentence that names the setting', async () => {
    const file = `${passwordFile()}.wrong`;
    writeFileSync(file, 'wrong');
    const failure = checkDurability(connect({ REDIS_PASSWORD_FILE: file }, { blocking: true }), {
      production: false,
    });
    await expect(failure).rejects.toMatchObject({
      startFault: 'configuration',
      message: expect.stringMatching(
        /^The Redis of REDIS_CLUSTER_NODES refuses the user name or password: WRONGPASS .*; correct REDIS_USERNAME and/,
      ),
    });
  });

  /** It ends a master. */
  it('connections and their duplicates use the new master after a failover, with the new password of the file', async () => {
    const file = `${passwordFile()}.app`;
    writeFileSync(file, 'first');
    const before = await group.masterOf(KEY);
    // The access control list is not replicated.
    for (const server of group.servers())
      await server.acl('SETUSER', 'app', 'on', '>first', '>second', '~*', '&*', '+@all');
    const settings = { REDIS_USERNAME: 'app', REDIS_PASSWORD_FILE: file };
    const connection = connect(settings);
    const blocking = connect(settings, { blocking: true });
    const duplicate = (blocking as Redis).duplicate();
    duplicate.on('error', () => undefined);
    opened.push(duplicate);
    const all = [connection, blocking, duplicate];
    for (const each of all) await each.set(KEY, 'before');
    const serverOf = watchServer(connection, KEY);
    const serverBefore = serverOf();
    await waitForReplication(before);

    writeFileSync(file, 'second');
    for (const server of group.servers()) await server.acl('SETUSER', 'app', '<first');
    await group.killMasterOf(KEY);

    // One command waits for the new master.
    expect(await Promise.all(all.map((each) => each.get(KEY)))).toEqual(['before', 'before', 'before']);
    for (const each of all) await each.set(KEY, 'after');
    expect(serverOf()).not.toBe(serverBefore);
    const after = await group.masterOf(KEY);
    expect(after.options.port).not.toBe(before.options.port);
    expect(await after.get(KEY)).toBe('after');
  });
});

it.each([
  [
    'a prefix without braces on a cluster',
    { REDIS_CLUSTER_NODES: 'a:1,b:2', QUEUE_PREFIX: 'bridge' },
    /QUEUE_PREFIX is "bridge", but with REDIS_CLUSTER_NODES .* Set it to "\{bridge\}"\.$/,
  ],
  [
    'a CA without TLS',
    { REDIS_SENTINELS: 'a:1', REDIS_SENTINEL_MASTER: 'm', REDIS_CA_FILE: 'f' },
    /REDIS_CA_FILE is set, but the entries of REDIS_SENTINELS .* Use rediss:\/\/host:port/,
  ],
  [
    'a user of Sentinels without Sentinels',
    { REDIS_URL: 'redis://a', REDIS_SENTINEL_USERNAME: 'u' },
    /^REDIS_SENTINEL_USERNAME is set, but REDIS_SENTINELS is not/,
  ],
  ['addresses in another form', { REDIS_CLUSTER_NODES: 'a' }, /^REDIS_CLUSTER_NODES is not in the form/],
])('refuses %s', (_, settings, message) => {
  expect(() => connectRedis(settings, { name: 'test' })).toThrow(message);
});
