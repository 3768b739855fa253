import { connectRedis, type RedisConnection } from '@ssb/redis-queue';
import { startTestCluster, type TestRedisGroup, waitFor } from '@ssb/testing';
import { CALCULATIONS, calculations } from './support/market-responses.js';
import {
  consume,
  leads,
  lines,
  market,
  requestCount,
  setUpPollerTests,
  start,
} from './support/running-poller.js';

setUpPollerTests();

let group: TestRedisGroup;
let redis: RedisConnection;

beforeAll(async () => {
  group = await startTestCluster();
  redis = connectRedis(group.settings, { name: 'redis-cluster-spec', blocking: true });
});
afterAll(async () => {
  redis?.disconnect();
  await group?.stop();
});

it('polls and queues events with a Redis Cluster', async () => {
  const consumer = consume(redis);
  const types = (): string[] => consumer.events.map(({ type }) => type);
  market.responses.set(CALCULATIONS, calculations(['09:00:00', '300000']));
  const { url } = await start({ REDIS_URL: '', ...group.settings });
  await waitFor('the requests', () => requestCount(CALCULATIONS) >= 3);
  market.responses.set(CALCULATIONS, calculations(['10:00:00', '249999']));
  await waitFor('a warning', () => types().includes('settlementbus.margin.warning.v1'));
  await waitFor('the leader', () => leads(url));
  expect(lines.filter(({ msg }) => msg === 'state discarded')).toEqual([]);
  await consumer.close();
});
