import { openEventQueue } from '@ssb/redis-queue';
import { waitFor } from '@ssb/testing';
import {
  STATEMENT,
  statementWithVariables,
  CALCULATIONS,
  calculations,
  TIMELINE,
  timeline,
} from './support/market-responses.js';
import {
  drain,
  keys as integrityKeys,
  market,
  leads,
  prefix,
  redis,
  setUpPollerTests,
  start,
  facts,
} from './support/running-poller.js';

setUpPollerTests();

/** The record of the statement is stored. */
const SMALL = { maxMessageBytes: 16_384 };
/** Creates the keys of the request budget. */
const BUDGET = { PRUDENTIAL_REQUESTS_PER_MINUTE: '1000' };

it('two bridges with different prefixes share a Redis and have no key in common', async () => {
  const otherPrefix = 'another-bridge';
  market.responses.set(CALCULATIONS, calculations(['09:00:00', '-1']));
  market.responses.set(TIMELINE, timeline());
  market.responses.set(STATEMENT, statementWithVariables(400).json);
  const first = await start(BUDGET, SMALL);
  await waitFor('2 queued events', () => facts().length === 2);
  await drain();
  const keys = await redis.keys('*');
  expect(keys.filter((key) => !key.startsWith(`${prefix}:`))).toEqual([]);
  const kinds = new Set(keys.map((key) => key.slice(prefix.length + 1).split(':')[0]));
  expect([...kinds]).toEqual(expect.arrayContaining(['budget', 'poller', 'records', 'settlement-events']));

  // The same participant: the other bridge leads too, and detects both facts itself.
  const second = await start({ ...BUDGET, QUEUE_PREFIX: otherPrefix }, SMALL);
  await waitFor('4 queued events', () => facts().length === 4);
  for (const { url } of [first, second]) await waitFor('the lease', () => leads(url));
  const allKeys = await redis.keys('*');
  const isOfBridge = (key: string): boolean =>
    [prefix, otherPrefix].some((each) => key.startsWith(`${each}:`));
  expect(allKeys.filter((key) => !isOfBridge(key))).toEqual([]);
  const otherQueue = openEventQueue({ redis, prefix: otherPrefix, keys: integrityKeys });
  // Both facts and the first heartbeats.
  expect((await otherQueue.depth()).waiting).toBeGreaterThanOrEqual(2);
  await otherQueue.close();
});
