import { setTimeout as pause } from 'node:timers/promises';
import { addDays } from '@ssb/market';
import { waitFor } from '@ssb/testing';
import { pollerKeys } from '../src/state/poller-keys.js';
import {
  FROM,
  STATEMENT,
  statement,
  CALCULATIONS,
  TIMELINE,
  timelineWithWeeks,
} from './support/market-responses.js';
import {
  requestCount,
  lines,
  market,
  metricOf,
  participant,
  prefix,
  redis,
  start,
  setUpPollerTests,
} from './support/running-poller.js';

setUpPollerTests();

it('polls never overlap: a poll that is due meanwhile is skipped and counted', async () => {
  let open = (): void => undefined;
  market.gate = new Promise((resolve) => (open = resolve));
  const { url } = await start();
  const skipped = { poll: 'prudential', reason: 'still-running' };
  await waitFor('a skipped poll', async () => (await metricOf(url, 'polls_skipped_total', skipped)) !== 0);
  expect(await metricOf(url, 'polls_total', { poll: 'prudential' })).toBe(1);
  open();
  await waitFor('the requests', () => requestCount(CALCULATIONS) >= 2);
});

describe('a lease that is lost during a poll', () => {
  it('ends the poll, and nothing is saved', async () => {
    const weeks = Array.from({ length: 10 }, (_, week) => addDays(FROM, -7 * week));
    market.responses.set(TIMELINE, timelineWithWeeks(weeks));
    await start();
    await waitFor('the requests', () => requestCount('/api/v2/settlements/WEM') > 0);
    let open = (): void => undefined;
    market.gate = new Promise((resolve) => (open = resolve));
    // The keys after another replica has taken over.
    const { lease, fence } = pollerKeys(prefix, participant);
    await redis.mset(lease, 'another', fence, String(Number.MAX_SAFE_INTEGER));
    await waitFor('the end of the leadership', () => lines.some((line) => line['leader'] === false));
    market.responses.set(STATEMENT, statement());
    const { state } = pollerKeys(prefix, participant);
    const saved = await redis.hgetall(state);
    const before = requestCount('/api/v2/settlements/WEM');
    open();
    // Long enough for the rest of the twenty requests, if they were sent.
    await pause(200);
    // Requests in flight were sent before; the market records them when the gate opens.
    expect(requestCount('/api/v2/settlements/WEM') - before).toBeLessThanOrEqual(4);
    expect(await redis.hgetall(state)).toEqual(saved);
  });
});
