import type { DetectedEvent } from '@ssb/events';
import { startTestRedis, waitFor, type TestRedis } from '@ssb/testing';
import type { DeadLetters, FailedEvent } from './dead-letters.js';
import { EVENTS_QUEUE, openQueue } from './event-queue.js';
import type { PublishResult } from './event-worker.js';
import { PUBLISHED, EVENT_ID, QueueFixture, sampleEvent } from './queue.fixture.js';

let server: TestRedis;
let fixture: QueueFixture;
let deadLetters: DeadLetters;

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(() => {
  fixture = new QueueFixture(server);
  ({ deadLetters } = fixture);
});
afterEach(() => fixture.close());

const NO_CHANNEL: PublishResult = { outcome: 'dead-letter', reason: 'no such channel' };
const hasDeadLetter = async (): Promise<boolean> =>
  (await deadLetters.count()) === 1 && (await fixture.isEmpty());

describe('dead letters', () => {
  it('hold a refused event, and leave nothing in the queue', async () => {
    fixture.startWorker(async () => NO_CHANNEL);
    await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
    await waitFor('the dead letter', hasDeadLetter);
    expect(await fixture.queue.depth()).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
    expect(await deadLetters.list()).toEqual([
      { event: sampleEvent(EVENT_ID), reason: 'no such channel', deadLetteredAt: expect.any(String) },
    ]);
  });

  it('do not prevent the same event from being added again, and stay one dead letter', async () => {
    let attempts = 0;
    fixture.startWorker(async () => {
      attempts += 1;
      return NO_CHANNEL;
    });
    await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
    await waitFor('the dead letter', hasDeadLetter);
    await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
    await waitFor('the attempts', async () => attempts === 2 && (await fixture.isEmpty()));
    expect(await deadLetters.count()).toBe(1);
  });

  it('are published by a replay, and removed only after it', async () => {
    await deadLetters.add(sampleEvent(EVENT_ID), 'no such channel');
    expect(await deadLetters.replay(EVENT_ID)).toBe('replayed');
    expect(await deadLetters.count()).toBe(1);
    expect((await deadLetters.list())[0]?.replayedAt).toEqual(expect.any(String));
    fixture.startWorker(async () => PUBLISHED);
    await waitFor('0 dead letters', async () => (await deadLetters.count()) === 0);
  });

  it('survive a replay that becomes a dead letter again, with the new reason', async () => {
    await deadLetters.add(sampleEvent(EVENT_ID), 'no such channel');
    await deadLetters.replay(EVENT_ID);
    fixture.startWorker(async () => ({ outcome: 'dead-letter', reason: 'the schema refuses it' }));
    await waitFor('an empty queue', () => fixture.isEmpty());
    expect(await deadLetters.list()).toEqual([
      { event: sampleEvent(EVENT_ID), reason: 'the schema refuses it', deadLetteredAt: expect.any(String) },
    ]);
  });

  it('are not lost by a replay between the dead letter and the removal of the job', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let added = false;
    fixture.startWorker(async ({ event }) => {
      // Stops the worker halfway: the dead letter is written, the job still exists.
      await deadLetters.add(event, 'no such channel');
      added = true;
      await released;
      return NO_CHANNEL;
    });
    await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
    await waitFor('the dead letter', () => added);
    expect(await deadLetters.replay(EVENT_ID)).toBe('already-queued');
    release();
    await waitFor('an empty queue', () => fixture.isEmpty());
    expect(await deadLetters.count()).toBe(1);
    expect(await deadLetters.replay(EVENT_ID)).toBe('replayed');
  });

  it('are not published twice when the publisher died after the publication', async () => {
    let attempts = 0;
    fixture.startWorker(async () => {
      attempts += 1;
      return PUBLISHED;
    });
    await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
    await waitFor('the attempts', async () => attempts === 1 && (await fixture.isEmpty()));
    await deadLetters.add(sampleEvent(EVENT_ID), 'left over');
    expect(await deadLetters.replay(EVENT_ID)).toBe('already-published');
    expect(await deadLetters.count()).toBe(0);
    expect(attempts).toBe(1);
  });

  it('report that a replayed id is unknown', async () => {
    expect(await deadLetters.replay(EVENT_ID)).toBe('not-found');
  });

  describe('of failed jobs that the worker did not leave', () => {
    /** Leaves a job of this event as BullMQ leaves one that ended as failed. */
    async function fail(event: DetectedEvent): Promise<void> {
      const raw = openQueue(fixture.redis, EVENTS_QUEUE, fixture.prefix, () => undefined);
      await fixture.queue.enqueue([event]);
      await fixture.redis.lrem(raw.toKey('wait'), 1, event.id);
      await fixture.redis.zadd(raw.toKey('failed'), Date.now(), event.id);
      await raw.close();
    }

    it('are reported before they are added', async () => {
      await fail(sampleEvent(EVENT_ID));
      expect((await fixture.queue.depth()).failed).toBe(1);
      await expect(deadLetters.addFailedJobs(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
      expect(await deadLetters.count()).toBe(0);
      expect((await fixture.queue.depth()).failed).toBe(1);
      const reported: string[] = [];
      const report = async (letters: readonly FailedEvent[]): Promise<void> => {
        for (const { event } of letters) reported.push(event.id);
      };
      // Two publishers at once.
      const moved = await Promise.all([deadLetters.addFailedJobs(report), deadLetters.addFailedJobs(report)]);
      expect(moved.toSorted()).toEqual([0, 1]);
      expect(await deadLetters.addFailedJobs(report)).toBe(0);
      expect(reported).toEqual([EVENT_ID]);
      expect((await fixture.queue.depth()).failed).toBe(0);
      expect((await deadLetters.list()).map(({ event }) => event.id)).toEqual([EVENT_ID]);
    });

    it('include no heartbeat', async () => {
      const type = 'settlementbus.bridge.heartbeat.v1';
      await fail({ ...sampleEvent(EVENT_ID), type } as unknown as DetectedEvent);
      const report = jest.fn<Promise<void>, []>();
      expect(await deadLetters.addFailedJobs(report)).toBe(0);
      expect(report).not.toHaveBeenCalled();
      expect((await fixture.queue.depth()).failed).toBe(0);
      expect(await deadLetters.count()).toBe(0);
    });
  });
});
