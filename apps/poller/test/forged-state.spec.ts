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
  drain,
  market,
  metric,
  participant,
  prefix,
  redis,
  savedText,
  setUpPollerTests,
  start,
  steps,
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

const BREACHED = 'settlementbus.margin.breached.v1';
const RESTORED = 'settlementbus.margin.restored.v1';
const BREACH = ['09:00:00', '-1'] as const;
const RECOVERY = ['10:00:00', '300000'] as const;

const typesOf = (events: readonly DetectedEvent[]): string[] => events.map(({ type }) => type);

/** Runs a poller until it has queued so many facts. @returns the ids of all events that it queued */
async function runUntil(count: number): Promise<string[]> {
  const before = { queued: steps('queued').length, facts: facts().length };
  const poller = await start();
  await waitFor(`${count} facts`, () => facts().length === before.facts + count);
  await poller.close();
  return steps('queued')
    .slice(before.queued)
    .map(({ eventId }) => String(eventId));
}

/** Leaves what a poller leaves that is killed after it saved a detection and before it queued the events. */
async function interruptDetection(part: string): Promise<DetectedEvent[]> {
  await runUntil(1);
  const events = await drain();
  const { state } = pollerKeys(prefix, participant);
  // The authentication code comes first.
  const content = (await redis.hget(state, part))?.replace(/^\S+ /, '');
  const pending = savedText(state, `pending:${part}`, JSON.stringify({ events, state: content }));
  for (const key of await redis.keys(`${prefix}*`)) await redis.del(key);
  await redis.hset(state, `pending:${part}`, pending);
  return events;
}

describe('a detection that was interrupted before its events were queued', () => {
  it('of a breach is queued by the next leader, although the operator serves the recovery alone', async () => {
    market.responses.set(CALCULATIONS, calculations(BREACH));
    const interrupted = await interruptDetection('position');
    market.responses.set(CALCULATIONS, calculations(RECOVERY));
    await runUntil(2);
    const events = await drain();
    expect(typesOf(events)).toEqual([BREACHED, RESTORED]);
    expect(events[0]).toEqual(interrupted[0]);
    expect(await redis.hexists(pollerKeys(prefix, participant).state, 'pending:position')).toBe(0);
  });
});

describe('a lost state', () => {
  it('raises the same ids, those of a recovery that happened meanwhile included', async () => {
    const { state } = pollerKeys(prefix, participant);
    market.responses.set(CALCULATIONS, calculations(BREACH));
    const breach = await runUntil(1);
    market.responses.set(CALCULATIONS, calculations(BREACH, RECOVERY));
    const recovery = await runUntil(1);
    await redis.del(state);
    const again = await runUntil(2);
    // Of each calculation one event, and one of its level.
    expect([...breach, ...recovery]).toHaveLength(4);
    expect(new Set(again)).toEqual(new Set([...breach, ...recovery]));
    expect(typesOf(await drain())).toEqual([BREACHED, RESTORED]);
  });
});
