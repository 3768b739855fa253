import { randomUUID } from 'node:crypto';
import type { DetectedEvent } from '@ssb/events';
import { waitFor } from '@ssb/testing';
import { EVENTS_QUEUE } from './open-queue.js';
import { availableSince } from './queue-state.js';
import { EVENT_ID, fixture, PUBLISHED, sampleEvent, setUpQueue } from '../../test/queue-fixture.js';

setUpQueue();

describe('the events queue', () => {
  it('makes one job of an event that is added twice, in one call or in two, before and after its publication', async () => {
    const { queue } = fixture;
    await queue.enqueue([sampleEvent(EVENT_ID), sampleEvent(EVENT_ID)]);
    await queue.enqueue([sampleEvent(EVENT_ID)]);
    expect(await queue.depth()).toEqual({ waiting: 1, active: 0, delayed: 0, failed: 0 });
    const published: string[] = [];
    fixture.startWorker(async ({ event }) => {
      published.push(event.id);
      return PUBLISHED;
    });
    await waitFor('the event', async () => published.length === 1 && (await fixture.isEmpty()));
    await queue.enqueue([sampleEvent(EVENT_ID)]);
    expect(await fixture.isEmpty()).toBe(true);
    expect(published).toEqual([EVENT_ID]);
  });

  it('shows the result of a job, and nothing that another client wrote in its place', async () => {
    const { queue, prefix } = fixture;
    await queue.enqueue([sampleEvent(EVENT_ID)]);
    const read = async (result: unknown): Promise<unknown> => {
      const text = typeof result === 'string' ? result : JSON.stringify(result);
      await fixture.redis.hset(`${prefix}:${EVENTS_QUEUE}:${EVENT_ID}`, 'returnvalue', text);
      return (await queue.progress(EVENT_ID)).result;
    };
    const dropped = { outcome: 'dropped', reason: 'it is too old' };
    expect(await read(dropped)).toEqual(dropped);
    for (const forged of ['{', 'null', { outcome: 'dropped' }, { outcome: 'lost', reason: '' }])
      expect(await read(forged)).toBeUndefined();
  });

  it('counts waiting events of every precedence, and returns since when the oldest has been available', async () => {
    const { queue } = fixture;
    expect(await queue.oldestWaiting(new Date())).toBeUndefined();
    const before = Date.now();
    const calculated = { ...sampleEvent(randomUUID()), type: 'settlementbus.position.calculated.v1' };
    await queue.enqueue([calculated as DetectedEvent]);
    await waitFor('a later millisecond', () => Date.now() > before + 1);
    const after = Date.now();
    await queue.enqueue([sampleEvent(EVENT_ID)]);
    expect(await queue.depth()).toMatchObject({ waiting: 2, active: 0 });
    const since = (await queue.oldestWaiting(new Date()))?.getTime();
    expect(since).toBeGreaterThanOrEqual(before);
    expect(since).toBeLessThan(after);
  });
});

describe('availableSince', () => {
  it.each([
    ['a job that was never tried', { timestamp: 1_000, delay: 0 }, 1_000],
    ['a job that was tried, without backoff', { timestamp: 1_000, processedOn: 9_000, delay: 0 }, 9_000],
    ['a job in its backoff', { timestamp: 1_000, processedOn: 9_000, delay: 500 }, 9_500],
  ])('%s', (_, times, expected) => {
    expect(availableSince(times)).toBe(expected);
  });
});
