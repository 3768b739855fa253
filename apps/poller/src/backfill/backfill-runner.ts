import { setTimeout as pause } from 'node:timers/promises';
import type { BackfillFailure, BackfillProgress, BackfillRequest, BackfillStore } from '@ssb/backfill';
import { isFinished } from '@ssb/backfill';
import { createFactEvent, type DetectedEvent } from '@ssb/events';
import type { MarketDate } from '@ssb/market';
import type { DetectionSettings } from '@ssb/operator-config';
import type { Logger } from '@ssb/platform';
import type { EventQueue } from '@ssb/queue';
import { backoffDelayMs, type Backoff } from '@ssb/resilience';
import { startTrace } from '@ssb/tracing';
import { FailureLog } from '../failure-log.js';
import type { FencingToken } from '../lease/lease.js';
import type { ParticipantMetrics } from '../participant-metrics.js';
import { describeFailure } from '../domain/failure-classification.js';
import { isUnusableAnswer, maxRetryAfterMs, StoppingError } from '../poll-failures.js';
import type { BackfillDetections, StepResult } from './backfill-detections.js';
import { listSteps, stepName, type BackfillStep } from './backfill-steps.js';

export interface BackfillRunnerOptions {
  readonly participant: string;
  readonly store: BackfillStore;
  readonly detections: BackfillDetections;
  readonly settings: () => DetectionSettings;
  readonly queue: Pick<EventQueue, 'depth' | 'enqueueBackfilled'>;
  /** Between two requests, milliseconds: BACKFILL_REQUEST_INTERVAL_MS. */
  readonly requestIntervalMs: number;
  readonly metrics: ParticipantMetrics;
  readonly log: Logger;
}

/** In request intervals: how often the poller looks for a request of the command, and the pause after a failed request. */
const LOOK_INTERVALS = 2;
const RETRY_INTERVALS = 2;
const MAX_RETRY_MS = 300_000;
/** Facts that are detected meanwhile wait for at most so many backfilled events. */
const MAX_QUEUED = 50;
const QUEUE_CHECK_INTERVAL_MS = 200;
const MAX_FAILURES = 50;

/** The backfill ends here: the lease was lost, the request was paused or replaced, or the app shuts down. */
class BackfillInterruptedError extends Error {
  override readonly name = 'BackfillInterruptedError';

  constructor() {
    super('the backfill was interrupted');
  }
}

/** Carries out the backfill of one participant while this replica holds its lease: one request at a time, beside the polls. */
export class BackfillRunner {
  private readonly failures: FailureLog;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopping = new AbortController();
  private readonly retry: Backoff;

  constructor(private readonly options: BackfillRunnerOptions) {
    this.failures = new FailureLog(options.log);
    this.retry = { baseMs: RETRY_INTERVALS * options.requestIntervalMs, maxMs: MAX_RETRY_MS };
  }

  /** Looks for a request now and then regularly, until `stop`. */
  start(heldToken: () => FencingToken | undefined): void {
    this.stopping = new AbortController();
    const look = (): void => {
      const token = heldToken();
      if (token === undefined) return;
      this.running ??= this.look(() => heldToken() === token).finally(() => (this.running = undefined));
    };
    look();
    clearInterval(this.timer);
    this.timer = setInterval(look, LOOK_INTERVALS * this.options.requestIntervalMs);
  }

  /** Ends after the request in flight. Another replica goes on. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.running;
  }

  private async look(mayContinue: () => boolean): Promise<void> {
    try {
      const { request, progress } = await this.options.store.read();
      if (request === undefined || isFinished(request, progress)) return;
      if (request.isPaused) {
        if (progress?.state === 'running') await this.save({ ...progress, state: 'paused' });
        return;
      }
      await this.carryOut(request, progress, mayContinue);
      this.failures.succeeded('backfill');
    } catch (error) {
      if (!(error instanceof BackfillInterruptedError)) this.failures.failed('backfill', error);
    }
  }

  private async carryOut(
    request: BackfillRequest,
    previous: BackfillProgress | undefined,
    mayContinue: () => boolean,
  ): Promise<void> {
    const { detections, log, settings } = this.options;
    const { id: requestId, from, to, dryRun } = request;
    const now = new Date().toISOString();
    let progress: BackfillProgress = previous
      ? { ...previous, state: 'running' }
      : {
          requestId,
          state: 'running',
          stepsDone: 0,
          events: {},
          failures: [],
          failureCount: 0,
          startedAt: now,
          updatedAt: now,
        };
    log.info({ from, until: to, mode: dryRun ? 'list' : 'raise' }, 'backfill started');
    const wait = (waitingFor: string): Promise<void> => this.save((progress = { ...progress, waitingFor }));
    const check = (): Promise<void> => this.requireRequest(requestId, mayContinue);
    const runs = await this.repeat(() => detections.runs(from as MarketDate, to as MarketDate), wait, check);
    if ('failure' in runs) progress = withFailure(progress, { what: 'timeline', reason: runs.failure });
    const steps = listSteps(request, 'failure' in runs ? [] : runs.value, settings().settlement);
    const { lastStep } = progress;
    const left = steps.filter((step) => lastStep === undefined || stepName(step) > lastStep);
    progress = { ...withoutWaiting(progress), stepsTotal: steps.length };
    for (const step of left) {
      progress = await this.runStep(step, request, progress, wait, check);
      await this.save(progress);
    }
    await this.save({ ...progress, state: 'done' });
    log.info(
      { from, until: to, count: sumOf(progress.events), failures: progress.failureCount },
      'backfill completed',
    );
  }

  private async runStep(
    step: BackfillStep,
    request: BackfillRequest,
    progress: BackfillProgress,
    wait: (waitingFor: string) => Promise<void>,
    check: () => Promise<void>,
  ): Promise<BackfillProgress> {
    const name = stepName(step);
    const result = await this.repeat(() => this.options.detections.run(step), wait, check);
    const done: BackfillProgress = {
      ...withoutWaiting(progress),
      lastStep: name,
      stepsDone: progress.stepsDone + 1,
    };
    if ('failure' in result) return withFailure(done, { what: name, reason: result.failure });
    const events = await this.createEvents(result.value);
    if (request.dryRun) await this.options.store.list(events);
    else await this.raise(events, request.id, check);
    const counted = { ...done, events: addCounts(progress.events, events) };
    return result.value.unreadable.reduce<BackfillProgress>(
      (sum, { path, reason }) => withFailure(sum, { what: name, reason: `${path}: ${reason}` }),
      counted,
    );
  }

  private async createEvents({ facts, fit }: StepResult): Promise<DetectedEvent[]> {
    const detectedAt = new Date();
    const events: DetectedEvent[] = [];
    for (const fact of facts) {
      const { traceparent } = startTrace('event backfill');
      const detection = { detectedAt, traceparent, backfilled: true } as const;
      const event = createFactEvent(fact, this.options.participant, detection);
      events.push(fit === undefined ? event : await fit(event));
    }
    return events;
  }

  /** Queues a part at a time, so that facts which are detected meanwhile do not wait for all of them. */
  private async raise(
    events: readonly DetectedEvent[],
    requestId: string,
    check: () => Promise<void>,
  ): Promise<void> {
    const { queue, metrics } = this.options;
    for (let at = 0; at < events.length; at += MAX_QUEUED) {
      while ((await this.queued()) >= MAX_QUEUED) {
        await check();
        await this.sleep(QUEUE_CHECK_INTERVAL_MS);
      }
      const part = events.slice(at, at + MAX_QUEUED);
      await queue.enqueueBackfilled(part, requestId);
      for (const { type } of part) metrics.shared.backfilled.inc({ type });
    }
  }

  private async queued(): Promise<number> {
    const { waiting, active } = await this.options.queue.depth();
    return waiting + active;
  }

  /** Repeats a request that fails, as long as it may succeed later. @returns the value, or why the answer cannot be used */
  private async repeat<T>(
    send: () => Promise<T>,
    wait: (waitingFor: string) => Promise<void>,
    check: () => Promise<void>,
  ): Promise<{ readonly value: T } | { readonly failure: string }> {
    for (let attempt = 1; ; attempt += 1) {
      await this.sleep(this.options.requestIntervalMs);
      await check();
      try {
        return { value: await send() };
      } catch (error) {
        if (error instanceof StoppingError || this.stopping.signal.aborted)
          throw new BackfillInterruptedError();
        if (isUnusableAnswer(error)) return { failure: describeFailure(error) };
        await wait(describeFailure(error));
        await this.sleep(
          Math.max(maxRetryAfterMs([error]), backoffDelayMs(attempt, this.retry, Math.random())),
        );
      }
    }
  }

  /** @throws BackfillInterruptedError when the request does not hold any more */
  private async requireRequest(id: string, mayContinue: () => boolean): Promise<void> {
    const { request, progress } = await this.options.store.read();
    const isHeld = mayContinue() && !this.stopping.signal.aborted;
    if (isHeld && request?.id === id && !request.isPaused) return;
    if (isHeld && request?.id === id && progress !== undefined)
      await this.save({ ...progress, state: 'paused' });
    this.options.log.info('backfill interrupted');
    throw new BackfillInterruptedError();
  }

  private async save(progress: BackfillProgress): Promise<void> {
    await this.options.store.writeProgress({ ...progress, updatedAt: new Date().toISOString() });
  }

  private async sleep(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.stopping.signal }).catch(() => {
      throw new BackfillInterruptedError();
    });
  }
}

function withFailure(progress: BackfillProgress, failure: BackfillFailure): BackfillProgress {
  return {
    ...progress,
    failures: [...progress.failures, failure].slice(0, MAX_FAILURES),
    failureCount: progress.failureCount + 1,
  };
}

function withoutWaiting({ waitingFor: _, ...progress }: BackfillProgress): BackfillProgress {
  return progress;
}

function addCounts(
  counts: BackfillProgress['events'],
  events: readonly DetectedEvent[],
): BackfillProgress['events'] {
  const sums = { ...counts };
  for (const { type } of events) sums[type] = (sums[type] ?? 0) + 1;
  return sums;
}

function sumOf(counts: BackfillProgress['events']): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
