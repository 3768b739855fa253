import { setTimeout as pause } from 'node:timers/promises';
import { createHeartbeatEvent, type DetectedEvent } from '@ssb/events';
import type { EventQueue, JobProgress } from '@ssb/redis-queue';
import { startTrace } from '@ssb/platform';
import type { SubscriberReplicas } from './subscriber-replicas.js';

/** The first interval; each one doubles. */
const POLL_INTERVAL_MS = 100;
const MAX_POLL_INTERVAL_MS = 1_000;

export interface TestedChannel {
  readonly participant: string;
  readonly channel: string;
}

/** How far a heartbeat came, with milliseconds since it was created. */
export interface TestResult extends TestedChannel {
  readonly eventId: string;
  readonly queuedMs: number;
  readonly publishedMs?: number;
  readonly verifiedMs?: number;
  /** One sentence; absent for a verified heartbeat. */
  readonly problem?: string;
}

/** Sends a heartbeat for each of them through the pipeline, and waits until a replica of the subscriber has verified it. */
export async function testPipeline(
  tested: readonly TestedChannel[],
  timeoutMs: number,
  queue: EventQueue,
  replicas: SubscriberReplicas,
): Promise<TestResult[]> {
  const createdAt = new Date();
  const elapsed = (): number => Date.now() - createdAt.getTime();
  const events = tested.map((each) => createTestHeartbeat(each, timeoutMs, createdAt));
  await queue.enqueue(events);
  const queuedMs = elapsed();
  let results = tested.map((each, index): TestResult => ({ ...each, eventId: events[index]!.id, queuedMs }));
  for (let intervalMs = POLL_INTERVAL_MS; ; intervalMs = Math.min(2 * intervalMs, MAX_POLL_INTERVAL_MS)) {
    const jobs = await Promise.all(
      results.map(async (each) => (hasEnded(each) ? undefined : queue.progress(each.eventId))),
    );
    const queueReadMs = elapsed();
    // After the queue, so that what was published before is seen. One reading serves all that wait.
    const newest = await replicas.newest();
    results = results.map((each, index): TestResult => {
      const job = jobs[index];
      if (job === undefined) return each;
      const publishedMs = each.publishedMs ?? (job.state === 'completed' ? queueReadMs : undefined);
      const result = publishedMs === undefined ? each : { ...each, publishedMs };
      if (newest(each.participant, each.channel) >= createdAt.getTime())
        return { ...result, verifiedMs: elapsed() };
      if (isLost(job) || elapsed() > timeoutMs)
        return { ...result, problem: explain(job, replicas.lastFailure) };
      return result;
    });
    if (results.every(hasEnded)) return results;
    await pause(intervalMs);
  }
}

function createTestHeartbeat(
  { participant, channel }: TestedChannel,
  intervalMs: number,
  detectedAt: Date,
): DetectedEvent {
  const none = { intervalMs };
  return createHeartbeatEvent(
    { participant, channel, intervalMs, polls: { prudential: none, settlement: none }, test: true },
    { detectedAt, traceparent: startTrace('heartbeat create').traceparent },
  );
}

function hasEnded({ verifiedMs, problem }: TestResult): boolean {
  return verifiedMs !== undefined || problem !== undefined;
}

/** Whether waiting is useless. */
function isLost({ state, result }: JobProgress): boolean {
  return state === 'unknown' || state === 'failed' || result?.outcome === 'dropped';
}

/** The hop at which a heartbeat is, and where to look. */
function explain({ state, reason, result }: JobProgress, subscriberFailure: string | undefined): string {
  switch (state) {
    case 'completed':
      if (result?.outcome === 'dropped') return `The bus-publisher dropped it: ${result.reason}.`;
      return subscriberFailure === undefined
        ? 'It was published, but the subscriber has not verified it. Check its connection to the gateway, its rights on the channel, and the quarantine.'
        : `It was published, but no replica of the subscriber responds at SUBSCRIBER_URL: ${subscriberFailure}.`;
    case 'active':
    case 'delayed':
      return `The bus-publisher cannot publish it: ${reason ?? 'its gateway has not responded yet'}.`;
    case 'unknown':
    case 'failed':
      return `The bus-publisher refused it: ${reason ?? 'compare INTEGRITY_KEYS_FILE of both'}.`;
    default:
      return 'No bus-publisher takes it from the queue. Check that one runs, with the same REDIS_URL and QUEUE_PREFIX.';
  }
}
