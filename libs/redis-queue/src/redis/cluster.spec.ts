import { startTestCluster, type TestRedisGroup } from '@ssb/testing';
import { Command } from 'ioredis';
import { connectRedis } from './connect.js';
import { watchServer } from './connection-events.js';
import { checkDurability } from './durability.js';
import type { RedisConnection } from './servers.js';

const KEY = '{bridge}:key';
const SLOT = new Command('exists', [KEY]).getSlot() ?? 0;

let group: TestRedisGroup;
let redis: RedisConnection;

beforeAll(async () => {
  group = await startTestCluster();
});
beforeEach(() => {
  redis = connectRedis(group.settings, { name: 'cluster-spec', blocking: true });
});
afterEach(() => redis.disconnect());
afterAll(() => group?.stop());

/** A key of another master. */
async function otherKey(): Promise<string> {
  const master = await group.masterOf(KEY);
  const [first, second] = ['bar', 'foo'] as const;
  return (await group.masterOf(first)) === master ? second : first;
}

it('a move of the slot is a change of the server, although the former one stays connected', async () => {
  const serverOf = watchServer(redis, KEY);
  await redis.get(KEY);
  const before = serverOf();
  await redis.get(KEY);
  expect(serverOf()).toBe(before);

  const target = await group.masterOf(await otherKey());
  const id = String(await target.call('CLUSTER', 'MYID'));
  for (const node of [target, ...group.servers()]) await node.call('CLUSTER', 'SETSLOT', SLOT, 'NODE', id);
  await redis.get(KEY);
  expect(serverOf()).not.toBe(before);
});

it('an app starts with a warning while a master is down that holds nothing of it', async () => {
  for (const node of group.servers()) await node.config('SET', 'cluster-require-full-coverage', 'no');
  const other = await otherKey();
  const { port } = (await group.masterOf(other)).options;
  await group.killMasterOf(other);
  const risks = await checkDurability(redis, { production: true, writableKey: KEY });
  // A master whose end the connection has noticed is not listed any more.
  const warning = `Its master 127.0.0.1:${port} does not respond, so its configuration is unknown; check it.`;
  expect(risks.filter((risk) => risk !== warning)).toEqual([]);
});
