import type { DetectedEvent } from '@ssb/events';
import { waitFor } from '@ssb/testing';
import { pollerKeys } from '../src/state/poller-keys.js';
import {
  CALCULATIONS,
  calculations,
  FROM,
  STATEMENT,
  statement,
  TIMELINE,
  timeline,
} from './support/market-responses.js';
import {
  drain,
  facts,
  market,
  participant,
  prefix,
  redis,
  savedText,
  setUpPollerTests,
  start,
  steps,
} from './support/running-poller.js';

setUpPollerTests();

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

  it('of a statement is queued by the next leader, although the operator serves its revision', async () => {
    market.responses.set(TIMELINE, timeline());
    market.responses.set(STATEMENT, statement());
    const interrupted = await interruptDetection(`statement:WEM|${FROM}|INITIAL`);
    market.responses.set(STATEMENT, statement().replace('"runId":7', '"runId":8'));
    await runUntil(2);
    const events = await drain();
    expect(typesOf(events)).toEqual([
      'settlementbus.statement.published.v1',
      'settlementbus.statement.revised.v1',
    ]);
    expect(events[0]).toEqual(interrupted[0]);
    expect(events[1]?.data).toMatchObject({ runId: 8, previous: { runId: 7 } });
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
