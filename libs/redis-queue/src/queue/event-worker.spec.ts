import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { DetectedEvent } from '@ssb/events';
import { waitFor } from '@ssb/testing';
import { EVENTS_QUEUE, openQueue } from './open-queue.js';
import type { PublishAttempt } from './event-worker.js';
import { EVENT_ID, fixture, PUBLISHED, sampleEvent, setUpQueue } from '../../test/queue-fixture.js';
import { server } from '../../test/redis-fixture.js';

setUpQueue();
it('an event is retried until it is published, unchanged, whether the publisher returns retry or rejects', async () => {
  const attempts: PublishAttempt[] = [];
  fixture.startWorker(async (attempt) => {
    attempts.push(attempt);
    if (attempt.attempt % 2 === 1) return { outcome: 'retry', reason: 'gateway away' };
    if (attempt.attempt < 4) throw new Error('unforeseen');
    return PUBLISHED;
  });
  await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
  await waitFor('the attempts', async () => attempts.length === 4 && (await fixture.isEmpty()));
  const event = sampleEvent(EVENT_ID);
  expect(attempts).toEqual(Array.from({ length: 4 }, (_, index) => ({ event, attempt: index + 1 })));
  expect(await fixture.deadLetters.count()).toBe(0);
  const raw = openQueue(EVENTS_QUEUE, fixture.options());
  const job = await raw.getJob(EVENT_ID);
  await raw.close();
  // However many attempts there were.
  expect(job?.stacktrace).toHaveLength(1);
});

describe('a worker', () => {
  it('loses no event in an outage of Redis that is longer than its blocking read', async () => {
    const seen = new Set<string>();
    fixture.startWorker(async ({ event }) => {
      seen.add(event.id);
      return PUBLISHED;
    });
    await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
    await waitFor('the event', () => seen.size === 1);
    await server.kill();
    // BullMQ's blocking read ends after 5 s and its watchdog a second later; releases before 6.3.3 never recovered.
    await pause(8_000);
    await server.start();
    const next = [sampleEvent(randomUUID()), sampleEvent(randomUUID())];
    await fixture.queue.enqueue(next);
    await waitFor('the events', () => seen.size === 3);
    expect([...seen].slice(1).sort()).toEqual(next.map(({ id }) => id).sort());
  });

  it('closes while Redis is unavailable, and the next worker processes its pending event', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let attempts = 0;
    const worker = fixture.startWorker(
      async () => {
        attempts += 1;
        await released;
        return { outcome: 'retry', reason: 'the publisher is ending' };
      },
      { closeMs: 100, lockMs: 1_000 },
    );
    await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
    await waitFor('the attempt in flight', () => attempts > 0);
    await server.kill();
    await waitFor('the lost connection', () => fixture.redis.status === 'reconnecting');
    const closed = worker.close();
    release();
    await closed;
    await server.start();
    const seen: string[] = [];
    fixture.startWorker(async ({ event }) => {
      seen.push(event.id);
      return PUBLISHED;
    });
    await waitFor('the event', async () => seen.length === 1 && (await fixture.isEmpty()));
    expect(seen).toEqual([EVENT_ID]);
  });

  it('takes over the job of a dead worker, more often than BullMQ allows by default', async () => {
    const { redis } = fixture;
    const raw = openQueue(EVENTS_QUEUE, fixture.options());
    await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
    // As a killed worker leaves it: active, without a lock, for the fourth time.
    await redis.rpoplpush(raw.toKey('wait'), raw.toKey('active'));
    await redis.hset(raw.toKey(EVENT_ID), 'stc', 3);
    await raw.close();
    const seen: string[] = [];
    fixture.startWorker(async ({ event }) => {
      seen.push(event.id);
      return PUBLISHED;
    });
    await waitFor('the event', () => seen.length === 1);
    expect(await fixture.deadLetters.count()).toBe(0);
  });

  it('stops taking jobs on request, completes those in flight, and leaves the rest in the queue', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let attempts = 0;
    const worker = fixture.startWorker(async () => {
      attempts += 1;
      await released;
      return PUBLISHED;
    });
    // Reserved places do not take backfilled events.
    const events = Array.from({ length: 6 }, (_, n) => ({
      ...sampleEvent(randomUUID()),
      subject: `P${n}/prudential`,
      backfilled: true as const,
    }));
    await fixture.queue.enqueue(events);
    await waitFor('the attempts in flight', () => attempts === 4);
    await worker.stopIntake();
    release();
    await worker.close();
    expect(attempts).toBe(4);
    expect((await fixture.queue.depth()).waiting).toBe(2);
  });
});

describe('a backfilled event', () => {
  const BACKFILL = '0f9b6a2e-3c56-4b0b-9a3c-6a2f4c1d7e55';
  const backfilled = () => ({ ...sampleEvent(EVENT_ID), backfilled: true as const });

  it('is published although the event was, and leaves no completed job', async () => {
    let published = 0;
    fixture.startWorker(async () => {
      published += 1;
      return PUBLISHED;
    });
    await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
    await fixture.queue.enqueueBackfilled([backfilled()], BACKFILL);
    await waitFor('both', async () => published === 2 && (await fixture.isEmpty()));
    const states = await Promise.all(
      [EVENT_ID, `${EVENT_ID}-${BACKFILL}`].map(async (id) => (await fixture.queue.progress(id)).state),
    );
    expect(states).toEqual(['completed', 'unknown']);
  });

  it('has a dead letter of its own, whose retry publishes it although the event was', async () => {
    const { deadLetters, queue } = fixture;
    const attempts: boolean[] = [];
    let isRefused = true;
    fixture.startWorker(async ({ event }) => {
      attempts.push(event.backfilled === true);
      return event.backfilled === true && isRefused
        ? { outcome: 'dead-letter', reason: 'no channel' }
        : PUBLISHED;
    });
    await queue.enqueue([sampleEvent(EVENT_ID)]);
    await queue.enqueueBackfilled([backfilled()], BACKFILL);
    await waitFor('the dead letter', async () => attempts.length === 2 && (await fixture.isEmpty()));
    const [letter] = await deadLetters.list();
    expect(letter).toMatchObject({ id: `${EVENT_ID}-${BACKFILL}`, verified: true });
    isRefused = false;
    const findProblem = () => undefined;
    expect(await deadLetters.retry(letter!.id, { findProblem })).toEqual({ outcome: 'queued' });
    await waitFor('the publication', async () => attempts.length === 3 && (await deadLetters.count()) === 0);
    expect(attempts.filter(Boolean)).toHaveLength(2);
  });
});

describe('precedence', () => {
  const ofType = (type: DetectedEvent['type'], changes: object = {}): DetectedEvent => ({
    ...sampleEvent(randomUUID()),
    type,
    ...changes,
  });

  it('of margin and credit events comes before the age of others, and backfilled ones are last', async () => {
    const types: string[] = [];
    const events = [
      ofType('settlementbus.margin.warning.v1', { backfilled: true }),
      ofType('settlementbus.statement.published.v1'),
      ofType('settlementbus.bridge.alert.raised.v1'),
      ofType('settlementbus.margin.breached.v1'),
      ofType('settlementbus.statement.revised.v1'),
      ofType('settlementbus.credit-support.short.v1'),
    ];
    for (const event of events) await fixture.queue.enqueue([event]);
    fixture.startWorker(
      async ({ event }) => {
        types.push(event.type.split('.').slice(1, -1).join('.'));
        return PUBLISHED;
      },
      { concurrency: 1 },
    );
    await waitFor('all events', () => types.length === events.length);
    expect(types).toEqual([
      'margin.breached',
      'credit-support.short',
      'bridge.alert.raised',
      'statement.published',
      'statement.revised',
      'margin.warning',
    ]);
  });

  it('reserves places: a margin event is published while every other place is taken', async () => {
    const inFlight: string[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    fixture.startWorker(
      async ({ event }) => {
        inFlight.push(event.type);
        if (event.type !== 'settlementbus.margin.breached.v1') await released;
        return PUBLISHED;
      },
      { concurrency: 2 },
    );
    const statements = Array.from({ length: 6 }, () => ofType('settlementbus.statement.published.v1'));
    await fixture.queue.enqueue(statements);
    await waitFor('the statements in flight', () => inFlight.length === 2);
    const breach = sampleEvent(EVENT_ID);
    await fixture.queue.enqueue([breach]);
    await waitFor('the breach', async () => (await fixture.queue.progress(EVENT_ID)).state === 'completed');
    expect(await fixture.queue.depth()).toMatchObject({ active: 2, waiting: 4 });
    release();
    await waitFor('the rest', () => fixture.isEmpty());
    expect(inFlight).toHaveLength(7);
  });

  it('and subject order the changes of a level, without delay for other subjects', async () => {
    const begun: string[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    fixture.startWorker(
      async ({ event }) => {
        begun.push(`${event.type.split('.')[2]} of ${event.subject}`);
        if (begun.length === 1) await released;
        return PUBLISHED;
      },
      { concurrency: 4 },
    );
    await fixture.queue.enqueue([
      ofType('settlementbus.margin.breached.v1', { subject: 'ALPHA/prudential' }),
      ofType('settlementbus.margin.restored.v1', { subject: 'ALPHA/prudential' }),
      ofType('settlementbus.margin.breached.v1', { subject: 'BETA/prudential' }),
    ]);
    await waitFor('the other subject', () => begun.length === 2);
    expect(begun).toEqual(['breached of ALPHA/prudential', 'breached of BETA/prudential']);
    release();
    await waitFor('the rest', () => fixture.isEmpty());
    expect(begun.at(-1)).toBe('restored of ALPHA/prudential');
  });

  it('and the queue order events of which a reserved place took the first, because one of precedence 0 was gone', async () => {
    const begun: string[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    fixture.startWorker(
      async ({ event }) => {
        begun.push(event.type.split('.').slice(1, -1).join('.'));
        if (begun.length === 1) await released;
        return PUBLISHED;
      },
      { concurrency: 1 },
    );
    await fixture.queue.enqueue([ofType('settlementbus.statement.published.v1')]);
    await waitFor('the statement in flight', () => begun.length === 1);
    await fixture.queue.enqueue([
      ofType('settlementbus.bridge.alert.raised.v1'),
      ofType('settlementbus.bridge.alert.cleared.v1'),
    ]);
    jest.spyOn(fixture.redis, 'llen').mockResolvedValueOnce(1);
    await waitFor('the first alert', () => begun.length === 2);
    release();
    await waitFor('the rest', () => fixture.isEmpty());
    expect(begun).toEqual(['statement.published', 'bridge.alert.raised', 'bridge.alert.cleared']);
  });

  // At each end of an attempt, jobs may arrive for a free place and for a reserved one together.
  it.each([1, 4])('and the queue order the events of one subject, with %i places', async (concurrency) => {
    const begun: string[] = [];
    const events = Array.from({ length: 1_000 }, () => sampleEvent(randomUUID()));
    await fixture.queue.enqueue(events);
    fixture.startWorker(
      async ({ event }) => {
        begun.push(event.id);
        await nextTurn();
        return PUBLISHED;
      },
      { concurrency },
    );
    await waitFor('all events', () => begun.length === events.length);
    expect(begun).toEqual(events.map(({ id }) => id));
  });

  it('reserves places for retries of margin events, not for those of faults', async () => {
    const attempts: string[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    fixture.startWorker(
      async ({ event, attempt }) => {
        attempts.push(event.type.split('.').slice(1, -1).join('.'));
        if (event.type === 'settlementbus.statement.published.v1') await released;
        else if (attempt === 1) return { outcome: 'retry', reason: 'gateway away' };
        return PUBLISHED;
      },
      { concurrency: 1 },
    );
    await fixture.queue.enqueue([
      ofType('settlementbus.bridge.alert.raised.v1'),
      ofType('settlementbus.statement.published.v1'),
    ]);
    await waitFor('the statement in flight', () => attempts.length === 2);
    // BullMQ's score of a delayed job is its time times 4096.
    const delayed = `${fixture.prefix}:${EVENTS_QUEUE}:delayed`;
    const isDue = async () => (await fixture.redis.zcount(delayed, '-inf', Date.now() * 4_096)) === 1;
    await waitFor('the due retry of the fault', isDue);
    await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
    await waitFor('the breach', async () => (await fixture.queue.progress(EVENT_ID)).state === 'completed');
    expect(attempts).toEqual([
      'bridge.alert.raised',
      'statement.published',
      'margin.breached',
      'margin.breached',
    ]);
    release();
    await waitFor('the rest', () => fixture.isEmpty());
  });

  it('and size bound what is taken: no further event while those in flight are too large', async () => {
    let inFlight = 0;
    let highest = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const statements = Array.from({ length: 6 }, () =>
      ofType('settlementbus.statement.published.v1', { data: { filler: 'x'.repeat(10_000) } }),
    );
    await fixture.queue.enqueue(statements);
    fixture.startWorker(
      async () => {
        inFlight += 1;
        highest = Math.max(highest, inFlight);
        if (inFlight === 2) release();
        await released;
        inFlight -= 1;
        return PUBLISHED;
      },
      { concurrency: 6, maxDataInFlight: 15_000 },
    );
    await waitFor('all events', () => fixture.isEmpty());
    expect(highest).toBe(2);
  });
});
