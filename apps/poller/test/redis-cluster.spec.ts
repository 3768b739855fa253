import { connectRedis, type RedisConnection } from '@ssb/redis-queue';
import { startTestCluster, type TestRedisGroup, waitFor } from '@ssb/testing';
import { pollerKeys } from '../src/state/poller-keys.js';
import { CALCULATIONS, calculations } from './support/market-responses.js';
import {
  consume,
  leads,
  lines,
  market,
  participant,
  prefix,
  requestCount,
  setUpPollerTests,
  start,
} from './support/running-poller.js';

setUpPollerTests();

let group: TestRedisGroup;
let redis: RedisConnection;

beforeAll(async () => {
  group = await startTestCluster({ replicas: true });
  redis = connectRedis(group.settings, { name: 'redis-cluster-spec', blocking: true });
});
afterAll(async () => {
  redis?.disconnect();
  await group?.stop();
});

it('queues events in a Redis Cluster, and continues after its master was killed', async () => {
  const consumer = consume(redis);
  const types = (): string[] => consumer.events.map(({ type }) => type);
  const { lease } = pollerKeys(prefix, participant);
  market.responses.set(CALCULATIONS, calculations(['09:00:00', '300000']));
  const { url } = await start({ REDIS_URL: '', ...group.settings });
  await waitFor('the requests', () => requestCount(CALCULATIONS) >= 3);
  market.responses.set(CALCULATIONS, calculations(['10:00:00', '249999']));
  await waitFor('a warning', () => types().includes('settlementbus.margin.warning.v1'));

  const before = await group.masterOf(lease);
  await group.killMasterOf(lease);
  market.responses.set(CALCULATIONS, calculations(['11:00:00', '-1']));
  await waitFor('a breach', () => types().includes('settlementbus.margin.breached.v1'), 60_000);
  expect((await group.masterOf(lease)).options.port).not.toBe(before.options.port);
  await waitFor('the leader', () => leads(url));
  expect(lines.filter(({ msg }) => msg === 'state discarded')).toEqual([]);
  await consumer.close();
});
