import type { DetectedEvent } from '@ssb/events';
import { waitFor } from '@ssb/testing';
import { pollerKeys } from '../src/state/poller-keys.js';
import {
  factTime,
  FROM,
  STATEMENT,
  statement,
  CALCULATIONS,
  calculations,
  TIMELINE,
  timeline,
  TRADING_DAY,
} from './support/market-responses.js';
import {
  CHANNELS,
  consume,
  lines,
  market,
  metric,
  participant,
  prefix,
  redis,
  requestCount,
  savedText,
  setUpPollerTests,
  start,
  facts,
} from './support/running-poller.js';

setUpPollerTests();

const ALERT = 'settlementbus.bridge.alert.raised.v1';
const HEARTBEAT = 'settlementbus.bridge.heartbeat.v1';
const REPORTED = 'settlement_bridge_faults_total{reason="state-authentication-failed"';

it('state that another client wrote suppresses, adds and alters no event, and is reported', async () => {
  const { state, polls } = pollerKeys(prefix, participant);
  const other = pollerKeys(prefix, 'OTHER');
  const breached = JSON.stringify({ level: 'BREACHED', calculatedAt: `${TRADING_DAY}T09:30:00` });
  const future = '2099-01-01T00:00:00.000Z';
  const forgedEvent = { id: 'forged', type: 'settlementbus.margin.breached.v1', participant: 'UNKNOWN' };
  await redis.hset(state, {
    position: savedText(other.state, 'position', breached),
    'pending:position': JSON.stringify({ events: [forgedEvent], state: breached }),
    [`statement:WEM|${FROM}|INITIAL`]: '7',
  });
  await redis.hset(polls, { prudential: future, settlement: savedText(other.polls, 'settlement', future) });
  market.responses.set(CALCULATIONS, calculations(['09:00:00', '-1']));
  market.responses.set(TIMELINE, timeline());
  market.responses.set(STATEMENT, statement());
  const { events, close } = consume();
  const ofType = (type: string): DetectedEvent[] => events.filter((event) => event.type === type);
  const { url } = await start({ HEARTBEAT_INTERVAL_MS: '100' });
  await waitFor('both facts', () => facts().length === 2);
  await waitFor('the alert', () => ofType(ALERT).length === 1);
  await waitFor('heartbeats', () => ofType(HEARTBEAT).length >= 2 * CHANNELS.length);
  await close();
  expect(facts().map(({ eventType }) => eventType)).toEqual(
    expect.arrayContaining(['settlementbus.margin.breached.v1', 'settlementbus.statement.published.v1']),
  );
  expect(ofType(ALERT)[0]).toMatchObject({
    participant,
    data: { app: 'poller', reason: 'state-authentication-failed' },
  });
  expect(events.filter(({ id }) => id === forgedEvent.id)).toEqual([]);
  expect(JSON.stringify(ofType(HEARTBEAT))).not.toContain(future);
  expect(
    await metric(url, 'settlement_bridge_state_discarded_total{state="poller-state",reason="mismatch"'),
  ).toMatch(/ 2$/);
});

it('a breach is published although another client puts back the state of an earlier one', async () => {
  market.responses.set(CALCULATIONS, calculations(['09:00:00', '-1']));
  const { url } = await start();
  const { state } = pollerKeys(prefix, participant);
  await waitFor('the breach', async () => (await redis.hexists(state, 'position')) === 1);
  const breached = (await redis.hget(state, 'position')) ?? '';
  market.responses.set(CALCULATIONS, calculations(['10:00:00', '300000']));
  await waitFor('the recovery', async () => (await redis.hget(state, 'position')) !== breached);
  expect(await metric(url, REPORTED)).toBeUndefined();
  // The poll of this request has read the state already and changes nothing. The next poll reads the earlier state.
  market.responses.set(CALCULATIONS, async () => {
    await redis.hset(state, 'position', breached);
    market.responses.set(CALCULATIONS, calculations(['11:00:00', '-2']));
    return calculations(['10:00:00', '300000']);
  });
  await waitFor('the second breach', () => facts().length === 3);
  expect(facts()[2]).toMatchObject({
    eventType: 'settlementbus.margin.breached.v1',
    factTime: factTime('11:00:00'),
  });
  expect(await metric(url, REPORTED)).toMatch(/ 1$/);
});

it('a state of a later release is logged once, and is not reported as a forgery', async () => {
  const { state } = pollerKeys(prefix, participant);
  const later = ['access:settlement', 'position', 'timeline'];
  for (const part of later) await redis.hset(state, part, savedText(state, part, '{"version":99}'));
  market.responses.set(CALCULATIONS, calculations(['09:00:00', '-1']));
  market.responses.set(TIMELINE, timeline());
  const { url } = await start();
  const unusable = (): unknown[] =>
    lines.filter(({ msg }) => msg === 'saved state unusable').map((line) => line['state']);
  await waitFor('the lines', () => unusable().length === later.length);
  const before = requestCount(TIMELINE);
  await waitFor('further polls', () => requestCount(TIMELINE) > before + 3);
  expect(unusable().sort()).toEqual(later);
  expect(await metric(url, REPORTED)).toBeUndefined();
});

it('two replicas in turn report no state of each other', async () => {
  market.responses.set(CALCULATIONS, calculations(['09:00:00', '-1']));
  market.responses.set(TIMELINE, timeline());
  market.responses.set(STATEMENT, statement());
  const first = await start();
  await waitFor('both facts', () => facts().length === 2);
  const second = await start();
  await first.close();
  const [margins, statements] = [requestCount(CALCULATIONS), requestCount(STATEMENT)];
  await waitFor('polls of the second', () => requestCount(CALCULATIONS) > margins + 3);
  await waitFor('its settlement polls', () => requestCount(STATEMENT) > statements + 3);
  expect(facts()).toHaveLength(2);
  expect(await metric(second.url, REPORTED)).toBeUndefined();
});
