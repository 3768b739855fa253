import { toInstant, toMarketDateTime, type MarketDateTime } from '@ssb/market';
import { budgetKeys } from '@ssb/redis-queue';
import { waitFor } from '@ssb/testing';
import { CALCULATIONS, calculations } from './support/market-responses.js';
import {
  drain,
  facts,
  market,
  metricOf,
  participant,
  prefix,
  redis,
  requestCount,
  setUpPollerTests,
  start,
} from './support/running-poller.js';

setUpPollerTests();

const UNREACHABLE = 'settlementbus.market.unreachable.v1';
const RECOVERED = 'settlementbus.market.recovered.v1';
const CONFIG = { defaults: { market: { unreachableAfter: '1s' } } };

it('an interface that fails for longer than allowed is unreachable until a poll succeeds, also of the next leader', async () => {
  market.responses.set(CALCULATIONS, 503);
  const first = await start({}, CONFIG);
  await waitFor('the outage', () => facts().length === 1);
  const before = requestCount(CALCULATIONS);
  await waitFor('further failures', () => requestCount(CALCULATIONS) > before + 2);
  await first.close();
  market.responses.set(CALCULATIONS, calculations(['09:00:00', '300000']));
  await start({}, CONFIG);
  await waitFor('the recovery', () => facts().length === 2);
  const [unreachable, recovered, ...others] = await drain();
  expect(others).toEqual([]);
  expect(unreachable).toMatchObject({
    type: UNREACHABLE,
    participant,
    data: { interface: 'prudential', since: expect.any(String), cause: 'server-error', allowedSeconds: 1 },
  });
  // It repeats the interface, the beginning and the cause of the outage.
  expect(recovered).toMatchObject({ type: RECOVERED, data: unreachable?.data });
});

it('an interface becomes unreachable during a pause of all replicas, without another request', async () => {
  market.responses.set(CALCULATIONS, { retryAfterSeconds: 3_600 });
  await start({}, CONFIG);
  await waitFor('the outage', () => facts().length === 1);
  expect(requestCount(CALCULATIONS)).toBe(1);
  expect(await redis.pttl(budgetKeys(prefix, `${participant}:prudential`).paused)).toBeGreaterThan(50_000);
  expect(await drain()).toMatchObject([
    { type: UNREACHABLE, data: { interface: 'prudential', cause: 'rate-limited' } },
  ]);
});

it('without a calculation the position is stale since the first poll, also of an earlier process', async () => {
  market.responses.set(CALCULATIONS, 404);
  const first = await start({}, { defaults: { position: { staleAfter: '31d' } } });
  const firstPoll = await waitFor('the first poll', () =>
    metricOf(first.url, 'first_poll_timestamp_seconds'),
  );
  await first.close();
  await start({}, { defaults: { position: { staleAfter: '1s' } } });
  await waitFor('the pause', () => facts().length === 1);
  // A new calculation for each request.
  market.responses.set(CALCULATIONS, async () => {
    const now = toMarketDateTime(new Date());
    return `[{"participantCode":"${participant}","tradingDay":"${now.slice(0, 10)}T00:00:00","tradingMargin":300000,"calculatedAt":"${now}"}]`;
  });
  const RESUMED = 'settlementbus.position.resumed.v1';
  await waitFor('its end', () => facts().some(({ eventType }) => eventType === RESUMED));
  const events = await drain();
  const [stale] = events;
  const { staleSince, ...pause } = (stale?.data ?? {}) as Record<string, unknown>;
  expect(stale?.type).toBe('settlementbus.position.stale.v1');
  expect(pause).toMatchObject({ allowedSeconds: 1, neverCalculated: true });
  expect(toInstant(pause['lastCalculatedAt'] as MarketDateTime).getTime()).toBe(firstPoll * 1_000);
  expect(toInstant(staleSince as MarketDateTime).getTime()).toBe((firstPoll + 1) * 1_000);
  expect(events.find(({ type }) => type === RESUMED)?.data).toMatchObject(pause);
});
