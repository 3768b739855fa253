import { randomUUID } from 'node:crypto';
import type { DetectedEvent } from '@ssb/events';
import { waitFor } from '@ssb/testing';
import type { RetryResult } from './dead-letter.js';
import type { DeadLetters } from './dead-letters.js';
import type { FailedEvent, FailedJobReports } from './failed-jobs.js';
import type { RefusedJob } from '../domain/refused-job.js';
import { EVENTS_QUEUE, openQueue } from '../open-queue.js';
import type { PublishResult } from '../domain/publish-result.js';
import { EVENT_ID, fixture, PUBLISHED, sampleEvent, setUpQueue } from '../../../test/queue-fixture.js';

let deadLetters: DeadLetters;

setUpQueue();
beforeEach(() => {
  ({ deadLetters } = fixture);
});

const NO_CHANNEL: PublishResult = { outcome: 'dead-letter', reason: 'no such channel' };
const retry = (id: string): Promise<RetryResult> => deadLetters.retry(id, { findProblem: () => undefined });
const letterOf = (reason: string) => ({
  id: EVENT_ID,
  event: sampleEvent(EVENT_ID),
  verified: true,
  reason,
  deadLetteredAt: expect.any(String),
});

describe('dead letters', () => {
  it('hold a refused event, which leaves no job, blocks no other and can be added again', async () => {
    const errors: Error[] = [];
    const seen: string[] = [];
    fixture.startWorker(
      async ({ event }) => {
        seen.push(event.id);
        return event.id === EVENT_ID ? NO_CHANNEL : PUBLISHED;
      },
      { concurrency: 1, onError: (error) => void errors.push(error) },
    );
    await fixture.addRaw('without-hmac', {});
    await fixture.queue.enqueue([sampleEvent(EVENT_ID), sampleEvent(randomUUID())]);
    await waitFor('both events', async () => seen.length === 2 && (await fixture.isEmpty()));
    await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
    await waitFor('the repeat', async () => seen.length === 3 && (await fixture.isEmpty()));
    expect(errors).toEqual([]);
    expect(fixture.refused).toHaveLength(1);
    expect(await fixture.queue.depth()).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
    expect(await fixture.queue.progress(EVENT_ID)).toMatchObject({ state: 'unknown' });
    expect((await deadLetters.list())[0]).toEqual(letterOf('no such channel'));
    expect(await deadLetters.count()).toBe(1);
  });

  it('are published by a retry, and removed only after it', async () => {
    expect(await retry(EVENT_ID)).toEqual({ outcome: 'not-found' });
    await deadLetters.add(sampleEvent(EVENT_ID), 'no such channel');
    expect(await retry(EVENT_ID)).toEqual({ outcome: 'queued' });
    expect(await deadLetters.count()).toBe(1);
    expect((await deadLetters.list())[0]?.retriedAt).toEqual(expect.any(String));
    fixture.startWorker(async () => PUBLISHED);
    await waitFor('0 dead letters', async () => (await deadLetters.count()) === 0);
  });

  it('survive a retry that becomes a dead letter again, with the new reason', async () => {
    await deadLetters.add(sampleEvent(EVENT_ID), 'no such channel');
    await retry(EVENT_ID);
    fixture.startWorker(async () => ({ outcome: 'dead-letter', reason: 'the schema refuses it' }));
    await waitFor('an empty queue', () => fixture.isEmpty());
    expect(await deadLetters.list()).toEqual([letterOf('the schema refuses it')]);
  });

  it('are not lost by a retry between the dead letter and the removal of the job', async () => {
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
    expect(await retry(EVENT_ID)).toEqual({ outcome: 'already-queued' });
    release();
    await waitFor('an empty queue', () => fixture.isEmpty());
    expect(await deadLetters.count()).toBe(1);
    expect(await retry(EVENT_ID)).toEqual({ outcome: 'queued' });
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
    expect(await retry(EVENT_ID)).toEqual({ outcome: 'already-published' });
    expect(await deadLetters.count()).toBe(0);
    expect(attempts).toBe(1);
  });

  describe('of failed jobs that the worker did not leave', () => {
    /** Leaves a job of this event as BullMQ leaves one that ended as failed. */
    async function fail(event: DetectedEvent): Promise<void> {
      const raw = openQueue(EVENTS_QUEUE, fixture.options());
      await fixture.queue.enqueue([event]);
      await fixture.redis.lrem(raw.toKey('wait'), 1, event.id);
      await fixture.redis.zadd(raw.toKey('failed'), Date.now(), event.id);
      await raw.close();
    }

    const refused: RefusedJob[] = [];
    const reports = (reportDeadLetters: FailedJobReports['reportDeadLetters']): FailedJobReports => ({
      reportDeadLetters,
      reportRefused: async (jobs) => void refused.push(...jobs),
    });

    it('are reported before they are added', async () => {
      await fail(sampleEvent(EVENT_ID));
      expect((await fixture.queue.depth()).failed).toBe(1);
      const failing = reports(() => Promise.reject(new Error('no')));
      await expect(deadLetters.addFailedJobs(failing)).rejects.toThrow('no');
      expect(await deadLetters.count()).toBe(0);
      expect((await fixture.queue.depth()).failed).toBe(1);
      const reported: string[] = [];
      const report = reports(async (letters) => {
        for (const { event } of letters) reported.push(event.id);
      });
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
      const report = jest.fn<Promise<void>, [readonly FailedEvent[]]>();
      expect(await deadLetters.addFailedJobs(reports(report))).toBe(0);
      expect(report).not.toHaveBeenCalled();
      expect((await fixture.queue.depth()).failed).toBe(0);
      expect(await deadLetters.count()).toBe(0);
    });

    it('are kept apart without a valid HMAC, and block no other, whatever is in them', async () => {
      const raw = openQueue(EVENTS_QUEUE, fixture.options());
      await fail(sampleEvent(EVENT_ID));
      await fail(sampleEvent(randomUUID()));
      await fixture.redis.hset(raw.toKey(EVENT_ID), 'failedReason', `\u001b[31m${'x'.repeat(9_000)}`);
      const strange = ['no-hash', 'no-json', 'no-options', '__proto__', 'meta'];
      for (const id of strange) await fixture.redis.zadd(raw.toKey('failed'), 0, id);
      await fixture.redis.hset(raw.toKey('no-json'), 'data', 'not JSON');
      await fixture.redis.hset(raw.toKey('no-options'), 'data', '5', 'opts', '{');
      const reported: FailedEvent[] = [];
      await deadLetters.addFailedJobs(reports(async (letters) => void reported.push(...letters)));
      expect((await fixture.queue.depth()).failed).toBe(0);
      expect(refused.map(({ jobId, refusal }) => [jobId, refusal])).toEqual(
        expect.arrayContaining(strange.map((id) => [id, 'missing'])),
      );
      expect(await deadLetters.count()).toBe(2);
      expect(await deadLetters.countUnverified()).toBe(strange.length);
      const reason = reported.find(({ event }) => event.id === EVENT_ID)?.reason ?? '';
      expect(reason).toMatch(/^failed outside the publisher: \\u001b\[31mx+…$/);
      expect(reason.length).toBeLessThan(600);
      await raw.close();
    });
  });
});
