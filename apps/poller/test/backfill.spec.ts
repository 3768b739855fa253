import { BackfillStore, type BackfillProgress, type BackfillRequest } from '@ssb/redis-queue';
import type { DetectedEvent } from '@ssb/events';
import { addDays } from '@ssb/market';
import { waitFor } from '@ssb/testing';
import { randomUUID } from 'node:crypto';
import {
  calculations,
  CALCULATIONS,
  FROM,
  statement,
  STATEMENT,
  TIMELINE,
  timeline,
  TODAY,
} from './support/market-responses.js';
import {
  consume,
  keys,
  market,
  metric,
  participant,
  prefix,
  redis,
  requestCount,
  setUpPollerTests,
  start,
} from './support/running-poller.js';

setUpPollerTests();

const FAST = { BACKFILL_REQUEST_INTERVAL_MS: '10' };
const PUBLISHED = 'settlementbus.statement.published.v1';

const store = (): BackfillStore => new BackfillStore({ redis, prefix, participant, keys });
const requestOf = (changes: Partial<BackfillRequest> = {}): BackfillRequest => ({
  id: randomUUID(),
  participant,
  from: FROM,
  to: TODAY,
  dryRun: false,
  isPaused: false,
  ...changes,
});

const progress = async (): Promise<BackfillProgress | undefined> => (await store().read()).progress;
const finished = (): Promise<BackfillProgress> =>
  waitFor('the end of the backfill', async () => {
    const found = await progress();
    return found?.state === 'done' ? found : undefined;
  });

/** The operator serves two calculations, a statement and no invoice. */
function serve(): void {
  market.responses.set(CALCULATIONS, calculations(['09:00:00', '300000.00'], ['10:00:00', '-5.00']));
  market.responses.set(TIMELINE, timeline());
  market.responses.set(STATEMENT, statement());
}

/** Type, id and mark of events. */
const described = (events: readonly DetectedEvent[]) =>
  events.map(({ type, id, backfilled }) => [type, id, backfilled]).sort();

it('lists the events of a range in a dry run, then raises them again, under the ids that they had, and marks them', async () => {
  serve();
  const { url } = await start(FAST);
  const consumer = consume();
  await waitFor('the facts', () => consumer.events.filter(isFact).length === 4);
  const live = consumer.events.filter(isFact);
  await store().writeRequest(requestOf({ dryRun: true }));
  await finished();
  expect((await store().listed(0, 100)).items.map(({ type, subject }) => [type, subject])).toEqual([
    ['settlementbus.position.calculated.v1', expect.stringContaining(participant)],
    ['settlementbus.position.calculated.v1', expect.stringContaining(participant)],
    ['settlementbus.margin.breached.v1', `${participant}/prudential`],
    [PUBLISHED, `${participant}/WEM/${FROM}/INITIAL`],
  ]);
  expect(await metric(url, 'settlement_bridge_poller_backfilled_events_total{')).toBeUndefined();
  await store().writeRequest(requestOf());
  const { stepsDone, stepsTotal, events, failureCount } = await finished();
  await waitFor('the backfilled events', () => consumer.events.filter(isFact).length === 8);
  await consumer.close();
  const backfilled = consumer.events.filter(isFact).slice(4);
  expect(described(backfilled)).toEqual(described(live).map(([type, id]) => [type, id, true]));
  expect([stepsDone, stepsTotal, failureCount]).toEqual([2, 2, 0]);
  expect(events).toEqual({
    'settlementbus.position.calculated.v1': 2,
    'settlementbus.margin.breached.v1': 1,
    [PUBLISHED]: 1,
  });
});

/** From the first request for the statement on, the settlement interface does not respond. */
function failAtStatement(): void {
  market.responses.set(STATEMENT, async () => {
    market.responses.set(TIMELINE, 503);
    return 503;
  });
}

/** Requests of the backfill for the calculations of the range. A poll requests others. */
const ownRequests = (): number => requestCount(`${CALCULATIONS}?dateFrom=${addDays(FROM, -14)}`);

it('waits while the operator fails, is paused and resumed, and does no step twice', async () => {
  serve();
  await start(FAST);
  await waitFor('the first polls', () => requestCount(STATEMENT) > 0);
  failAtStatement();
  const request = requestOf();
  await store().writeRequest(request);
  const waiting = await waitFor('the wait', async () => {
    const found = await progress();
    return found?.waitingFor?.includes('503') === true ? found : undefined;
  });
  expect(waiting).toMatchObject({ state: 'running', stepsDone: 1 });
  await store().changeRequest(request.id, { isPaused: true });
  await waitFor('the pause', async () => (await progress())?.state === 'paused', 60_000);
  serve();
  await store().changeRequest(request.id, { isPaused: false });
  const { startedAt } = waiting;
  expect(await finished()).toMatchObject({
    stepsDone: 2,
    failureCount: 0,
    events: { [PUBLISHED]: 1 },
    startedAt,
  });
  expect(ownRequests()).toBe(1);
});

/** Heartbeats and alerts of the bridge are not facts of the market. */
function isFact({ type }: DetectedEvent): boolean {
  return !type.startsWith('settlementbus.bridge.');
}
