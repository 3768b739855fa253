import { connectRedis } from '@ssb/redis';
import { startTestRedis, type TestRedis, waitFor } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type DeadLetters, openDeadLetters } from './dead-letters.js';
import { type EventQueue, openEventQueue, openQueue } from './event-queue.js';
import { type Attempt, EventWorker } from './event-worker.js';
import type { Handled } from './handled.js';
import { EVENTS_QUEUE } from './names.js';
import { sampleEvent } from './testing/sample-event.js';

const DELIVERED: Handled = { outcome: 'delivered' };
const ID = 'b6a1f9a2-6c1e-4b59-9d51-0a9d6f0f3c11';

let server: TestRedis;
let redis: Redis;
let prefix: string;
let queue: EventQueue;
let dead: DeadLetters;
let workers: EventWorker[];

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

beforeEach(() => {
  prefix = `{${randomUUID()}}`;
  redis = connectRedis(server.url, { name: 'queue-spec', blocking: true });
  queue = openEventQueue(redis, prefix);
  dead = openDeadLetters(redis, prefix);
  workers = [];
});
afterEach(async () => {
  for (const worker of workers) await worker.close();
  await queue.close();
  await dead.close();
  redis.disconnect();
});

function work(
  handle: (attempt: Attempt) => Promise<Handled>,
  options: { lockMs?: number; closeMs?: number } = {},
): EventWorker {
  const worker = new EventWorker({
    redis,
    prefix,
    concurrency: 4,
    deadLetters: dead,
    handle,
    onError: () => undefined,
    stalledCheckMs: 200,
    backoff: { baseMs: 5, maxMs: 200 },
    ...options,
  });
  workers.push(worker);
  return worker;
}

const emptied = async (): Promise<boolean> => {
  const { waiting, active, delayed } = await queue.depth();
  return waiting + active + delayed === 0;
};

describe('the events queue', () => {
  it('makes one job of the same event added twice, in one call or in two', async () => {
    await queue.enqueue([sampleEvent(ID), sampleEvent(ID)]);
    await queue.enqueue([sampleEvent(ID)]);
    expect(await queue.depth()).toEqual({ waiting: 1, active: 0, delayed: 0, failed: 0 });
  });

  it('drops an event that has been delivered already', async () => {
    const seen: string[] = [];
    work(async ({ event }) => {
      seen.push(event.id);
      return DELIVERED;
    });
    await queue.enqueue([sampleEvent(ID)]);
    await waitFor('the event', async () => seen.length === 1 && (await emptied()));
    await queue.enqueue([sampleEvent(ID)]);
    expect(await emptied()).toBe(true);
    expect(seen).toEqual([ID]);
  });

  it('hands the event over as it was, with the number of the attempt', async () => {
    const seen: Attempt[] = [];
    work(async (attempt) => {
      seen.push(attempt);
      return DELIVERED;
    });
    await queue.enqueue([sampleEvent(ID)]);
    await waitFor('the event', () => seen.length === 1);
    expect(seen[0]?.event).toEqual(sampleEvent(ID));
    expect(seen[0]?.attempt).toBe(1);
  });

  it('tells since when the head of the queue has waited', async () => {
    expect(await queue.oldestWaiting(new Date())).toBeUndefined();
    const before = Date.now();
    await queue.enqueue([sampleEvent(ID)]);
    await queue.enqueue([sampleEvent(randomUUID())]);
    const since = await queue.oldestWaiting(new Date());
    expect(since?.getTime()).toBeGreaterThanOrEqual(before);
    expect(since?.getTime()).toBeLessThanOrEqual(Date.now());
  });
});

describe('retries', () => {
  it('go on until the event is delivered, whether the handler says so or throws', async () => {
    const attempts: number[] = [];
    work(async ({ attempt }) => {
      attempts.push(attempt);
      if (attempt % 2 === 1) return { outcome: 'retry', reason: 'gateway away' };
      if (attempt < 12) throw new Error('unforeseen');
      return DELIVERED;
    });
    await queue.enqueue([sampleEvent(ID)]);
    await waitFor('the attempts', async () => attempts.length === 12 && (await emptied()));
    expect(attempts).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    expect(await dead.count()).toBe(0);
  });

  it('keep one stack trace, however many attempts there were', async () => {
    let attempts = 0;
    work(async () => {
      attempts += 1;
      return attempts < 6 ? { outcome: 'retry', reason: 'gateway away' } : DELIVERED;
    });
    await queue.enqueue([sampleEvent(ID)]);
    await waitFor('the attempts', async () => attempts === 6 && (await emptied()));
    const raw = openQueue(redis, EVENTS_QUEUE, prefix, () => undefined);
    const job = await raw.getJob(ID);
    await raw.close();
    expect(job?.stacktrace).toHaveLength(1);
  });
});

describe('dead letters', () => {
  const parkEverything = async (): Promise<Handled> => ({
    outcome: 'dead-letter',
    reason: 'no such channel',
  });

  it('hold a refused event, and leave nothing behind in the queue', async () => {
    work(parkEverything);
    await queue.enqueue([sampleEvent(ID)]);
    await waitFor('1 dead letters', async () => (await dead.count()) === 1 && (await emptied()));
    expect(await queue.depth()).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
    expect(await dead.list()).toEqual([
      { event: sampleEvent(ID), reason: 'no such channel', parkedAt: expect.any(String) },
    ]);
  });

  it('do not keep the same event from being added again, and stay one letter', async () => {
    let attempts = 0;
    work(() => {
      attempts += 1;
      return parkEverything();
    });
    await queue.enqueue([sampleEvent(ID)]);
    await waitFor('1 dead letters', async () => (await dead.count()) === 1 && (await emptied()));
    await queue.enqueue([sampleEvent(ID)]);
    await waitFor('the attempts', async () => attempts === 2 && (await emptied()));
    expect(await dead.count()).toBe(1);
  });

  it('are delivered by a replay, and only then off the list', async () => {
    await dead.park(sampleEvent(ID), 'no such channel');
    expect(await dead.replay(ID)).toBe('replayed');
    expect(await dead.count()).toBe(1);
    expect((await dead.list())[0]?.replayedAt).toEqual(expect.any(String));
    work(async () => DELIVERED);
    await waitFor('0 dead letters', async () => (await dead.count()) === 0);
  });

  it('survive a replay that fails for good once more, with the new reason', async () => {
    await dead.park(sampleEvent(ID), 'no such channel');
    await dead.replay(ID);
    work(async () => ({ outcome: 'dead-letter', reason: 'the schema refuses it' }));
    await waitFor('an empty queue', emptied);
    expect(await dead.list()).toEqual([
      { event: sampleEvent(ID), reason: 'the schema refuses it', parkedAt: expect.any(String) },
    ]);
  });

  it('are not lost by a replay between parking and removal', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let parked = false;
    work(async ({ event }) => {
      // What the worker does after the verdict, stopped in the middle: the letter is written, the job still there.
      await dead.park(event, 'no such channel');
      parked = true;
      await held;
      return { outcome: 'dead-letter', reason: 'no such channel' };
    });
    await queue.enqueue([sampleEvent(ID)]);
    await waitFor('the parked event', () => parked);
    expect(await dead.replay(ID)).toBe('already-queued');
    release();
    await waitFor('an empty queue', emptied);
    expect(await dead.count()).toBe(1);
    expect(await dead.replay(ID)).toBe('replayed');
  });

  it('are not doubled when the publisher died after delivery: the replay finds the event delivered', async () => {
    let attempts = 0;
    work(async () => {
      attempts += 1;
      return DELIVERED;
    });
    await queue.enqueue([sampleEvent(ID)]);
    await waitFor('the attempts', async () => attempts === 1 && (await emptied()));
    await dead.park(sampleEvent(ID), 'left over');
    expect(await dead.replay(ID)).toBe('already-delivered');
    expect(await dead.count()).toBe(0);
    expect(attempts).toBe(1);
  });

  it('answer a replay of an unknown id', async () => {
    expect(await dead.replay(ID)).toBe('not-found');
  });

  it('adopt what another hand left failed', async () => {
    await queue.enqueue([sampleEvent(ID)]);
    const raw = openQueue(redis, EVENTS_QUEUE, prefix, () => undefined);
    // As BullMQ leaves a job that ended as failed.
    await redis.lrem(raw.toKey('wait'), 1, ID);
    await redis.zadd(raw.toKey('failed'), Date.now(), ID);
    await raw.close();
    expect((await queue.depth()).failed).toBe(1);
    expect(await dead.adoptFailed()).toBe(1);
    expect((await queue.depth()).failed).toBe(0);
    expect((await dead.list()).map(({ event }) => event.id)).toEqual([ID]);
  });
});

describe('faults', () => {
  it('a Redis restart while events wait and while the worker is idle loses none', async () => {
    const seen = new Set<string>();
    work(async ({ event }) => {
      seen.add(event.id);
      return DELIVERED;
    });
    const first = [sampleEvent(randomUUID()), sampleEvent(randomUUID())];
    await queue.enqueue(first);
    await waitFor('2 events', () => seen.size === 2);
    await server.restart();
    const second = [sampleEvent(randomUUID()), sampleEvent(randomUUID())];
    await queue.enqueue(second);
    await waitFor('4 events', () => seen.size === 4);
    expect([...seen].sort()).toEqual([...first, ...second].map(({ id }) => id).sort());
  });

  it('an outage longer than the blocking read does not leave a worker that looks alive and takes nothing', async () => {
    const seen: string[] = [];
    work(async ({ event }) => {
      seen.push(event.id);
      return DELIVERED;
    });
    await queue.enqueue([sampleEvent(randomUUID())]);
    await waitFor('the event', () => seen.length === 1);
    await server.kill();
    // BullMQ's blocking read gives up after 5 s and its watchdog a second later; releases before 6.3.3 never came back from that.
    await pause(8_000);
    await server.start();
    await queue.enqueue([sampleEvent(ID)]);
    await waitFor('the event', () => seen.includes(ID));
  });

  it('a worker closes while Redis is away, and what it had in work is done by the next one', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let begun = 0;
    const worker = work(
      async () => {
        begun += 1;
        await held;
        return { outcome: 'retry', reason: 'the publisher is ending' };
      },
      { closeMs: 100, lockMs: 1_000 },
    );
    await queue.enqueue([sampleEvent(ID)]);
    await waitFor('the attempts in flight', () => begun > 0);
    await server.kill();
    await waitFor('the lost connection', () => redis.status === 'reconnecting');
    const closed = worker.close();
    release();
    await closed;
    await server.start();
    const seen: string[] = [];
    work(async ({ event }) => {
      seen.push(event.id);
      return DELIVERED;
    });
    await waitFor('the event', async () => seen.length === 1 && (await emptied()));
    expect(seen).toEqual([ID]);
  });

  it('a job whose worker died is taken over, more often than BullMQ would allow by default', async () => {
    const raw = openQueue(redis, EVENTS_QUEUE, prefix, () => undefined);
    await queue.enqueue([sampleEvent(ID)]);
    // As a killed worker leaves it: active, without a lock; and it happened three times before.
    await redis.rpoplpush(raw.toKey('wait'), raw.toKey('active'));
    await redis.hset(raw.toKey(ID), 'stc', 3);
    await raw.close();
    const seen: string[] = [];
    work(async ({ event }) => {
      seen.push(event.id);
      return DELIVERED;
    });
    await waitFor('the event', () => seen.length === 1);
    expect(await dead.count()).toBe(0);
  });

  it('stops taking jobs on request, finishes those in work, and leaves the rest in the queue', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let begun = 0;
    const worker = work(async () => {
      begun += 1;
      await held;
      return DELIVERED;
    });
    await queue.enqueue(Array.from({ length: 6 }, () => sampleEvent(randomUUID())));
    await waitFor('the attempts in flight', () => begun === 4);
    await worker.stopIntake();
    release();
    await worker.close();
    expect(begun).toBe(4);
    expect((await queue.depth()).waiting).toBe(2);
  });
});
