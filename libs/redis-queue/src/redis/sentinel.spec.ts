import { readFileSync, writeFileSync } from 'node:fs';
import { startTestSentinels, type TestRedisGroup, waitFor } from '@ssb/testing';
import { Redis } from 'ioredis';
import { connectRedis } from './connect.js';
import { checkDurability } from './durability.js';
import type { RedisConnection, RedisSettings } from './servers.js';

let group: TestRedisGroup;
let sentinels: Redis[];
let opened: RedisConnection[];

beforeAll(async () => {
  group = await startTestSentinels();
  const password = readFileSync(passwordFile(), 'utf8').trim();
  const ports = (group.settings['REDIS_SENTINELS'] ?? '').split(',').map((entry) => entry.split(':')[1]);
  sentinels = ports.map((port) => new Redis({ port: Number(port), password }));
});
beforeEach(() => (opened = []));
afterEach(() => opened.forEach((connection) => connection.disconnect()));
afterAll(async () => {
  sentinels?.forEach((sentinel) => sentinel.disconnect());
  await group?.stop();
});

const passwordFile = (): string => group.settings['REDIS_PASSWORD_FILE'] ?? '';

function connect(settings: RedisSettings, onError?: (error: Error) => void): RedisConnection {
  const connection = connectRedis(
    { ...group.settings, ...settings },
    { name: 'test', blocking: true, onError },
  );
  opened.push(connection);
  return connection;
}

it('listens for failovers with the new password of the file after the Sentinels have closed its connections', async () => {
  const file = `${passwordFile()}.sentinels`;
  writeFileSync(file, 'first');
  for (const sentinel of sentinels)
    await sentinel.call('ACL', 'SETUSER', 'app', 'on', '>first', '&*', '+@all');
  const settings = { REDIS_SENTINEL_USERNAME: 'app', REDIS_SENTINEL_PASSWORD_FILE: file };
  expect(await connect(settings).ping()).toBe('PONG');
  await waitFor('the listeners', async () => (await countListeners()) === sentinels.length);

  for (const sentinel of sentinels) {
    await sentinel.call('ACL', 'SETUSER', 'app', '<first', '>second');
    await sentinel.call('CLIENT', 'KILL', 'USER', 'app');
  }
  writeFileSync(file, 'second');
  await waitFor('the listeners', async () => (await countListeners()) === sentinels.length);
});

it('a password that the Sentinels refuse ends the start with a sentence that names the settings', async () => {
  const file = `${passwordFile()}.wrong`;
  writeFileSync(file, 'wrong');
  const redis = connect({ REDIS_SENTINEL_PASSWORD_FILE: file });
  await expect(checkDurability(redis, { production: false })).rejects.toMatchObject({
    startFault: 'configuration',
    message: expect.stringMatching(
      /^A Sentinel of REDIS_SENTINELS refuses the user name or password: WRONGPASS .*; correct REDIS_SENTINEL_USERNAME and REDIS_SENTINEL_PASSWORD_FILE\.$/,
    ),
  });
});

/** Sentinels that the user `app` listens to. */
async function countListeners(): Promise<number> {
  const lists = await Promise.all(sentinels.map((sentinel) => sentinel.client('LIST')));
  return lists.filter((list) => /^(?=.* sub=1 )(?=.* user=app )/m.test(String(list))).length;
}
