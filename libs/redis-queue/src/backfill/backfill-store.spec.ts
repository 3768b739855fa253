import { FixedKeys, KeyRing } from '@ssb/keys';
import { type DiscardedValue } from '../redis/authenticated-hash.js';
import { randomUUID } from 'node:crypto';
import type { BackfillProgress, BackfillRequest } from './backfill.js';
import { BackfillStore } from './backfill-store.js';
import { redis, setUpRedis } from '../../test/redis-fixture.js';

const RING = new KeyRing([{ version: 1, activeFrom: new Date(0), secret: 's'.repeat(32) }]);
const REQUEST: BackfillRequest = {
  id: randomUUID(),
  participant: 'WPGENCO',
  from: '2026-01-01',
  to: '2026-01-31',
  dryRun: false,
  isPaused: false,
};
const PROGRESS: BackfillProgress = {
  requestId: REQUEST.id,
  state: 'running',
  stepsDone: 1,
  postponed: [],
  events: { 'settlementbus.position.calculated.v1': 3 },
  failures: [],
  failureCount: 0,
  startedAt: '2026-03-01T00:00:00.000Z',
  updatedAt: '2026-03-01T00:00:01.000Z',
};

let store: BackfillStore;
let discarded: DiscardedValue[];

setUpRedis();
beforeEach(async () => {
  await redis.flushall();
  discarded = [];
  store = new BackfillStore({
    redis,
    prefix: '{bridge}',
    participant: 'WPGENCO',
    keys: new FixedKeys(RING),
    onDiscarded: (values) => discarded.push(...values),
  });
});

it('keeps request and progress for 30 days', async () => {
  expect(await store.read()).toEqual({ request: undefined, progress: undefined });
  await store.writeRequest(REQUEST);
  await store.writeProgress(PROGRESS);
  expect(await store.read()).toEqual({ request: REQUEST, progress: PROGRESS });
  expect(await redis.ttl('{bridge}:backfill:WPGENCO')).toBeGreaterThan(29 * 86_400);
});

it('a paused request keeps the progress, and a new one forgets progress and list', async () => {
  await store.writeRequest(REQUEST);
  await store.writeProgress(PROGRESS);
  await store.list([{ id: 'a', type: 't', subject: 's', time: 'now' }]);
  await store.writeRequest({ ...REQUEST, isPaused: true });
  expect(await store.read()).toEqual({ request: { ...REQUEST, isPaused: true }, progress: PROGRESS });
  const next = { ...REQUEST, id: randomUUID() };
  await store.writeRequest(next);
  expect(await store.read()).toEqual({ request: next, progress: undefined });
  expect(await store.listed(0, 10)).toEqual({ items: [] });
});

it('cancels a backfill while it progresses, but keeps the result of one that has ended', async () => {
  await store.writeRequest(REQUEST);
  expect(await store.cancel()).toBe(true);
  expect(await store.read()).toEqual({ request: undefined, progress: undefined });
  await store.writeRequest(REQUEST);
  await store.writeProgress(PROGRESS);
  const done = { ...PROGRESS, state: 'done' as const };
  const evaluate = redis.eval.bind(redis);
  // Completes between the two statements of the cancellation.
  const completing = jest.spyOn(redis, 'eval').mockImplementationOnce(async (...args: unknown[]) => {
    await store.writeProgress(done);
    return evaluate(...(args as Parameters<typeof evaluate>));
  });
  expect(await store.cancel()).toBe(false);
  completing.mockRestore();
  expect(await store.read()).toEqual({ request: REQUEST, progress: done });
});

it('a value that another client wrote is deleted and reported', async () => {
  await store.writeRequest(REQUEST);
  await redis.hset(
    '{bridge}:backfill:WPGENCO',
    'request',
    JSON.stringify({ ...REQUEST, from: '2000-01-01' }),
  );
  expect((await store.read()).request).toBeUndefined();
  expect(discarded).toEqual([{ field: 'request', reason: 'missing' }]);
  expect(await redis.hexists('{bridge}:backfill:WPGENCO', 'request')).toBe(0);
});

it('lists the events in pages, without what another client wrote', async () => {
  const [a, b] = ['a', 'b'].map((id) => ({ id, type: 't', subject: 's', time: 'now' }));
  await store.list([a!]);
  await redis.rpush('{bridge}:backfill:WPGENCO:events', 'forged');
  await store.list([b!]);
  expect(await store.listed(0, 2)).toEqual({ items: [a], next: 2 });
  expect(await store.listed(2, 2)).toEqual({ items: [b] });
});
