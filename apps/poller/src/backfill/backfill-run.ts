import { setTimeout as sleep } from 'node:timers/promises';
import type {
  BackfillFailure,
  BackfillProgress,
  BackfillRequest,
  BackfillStore,
  EventQueue,
} from '@ssb/redis-queue';
import { createFactEvent, type DetectedEvent, type EventType, type MarketInterface } from '@ssb/events';
import type { MarketDate } from '@ssb/market';
import type { DetectionSettings } from '@ssb/config';
import { startTrace } from '@ssb/platform';
import type { LeftOut } from '../detection/detection.js';
import { describeLeftOut } from '../polls/responses.js';
import { BackfillAttempts, BackfillInterruptedError } from './backfill-attempts.js';
import type { BackfillDetections, StepResult } from './backfill-detections.js';
import { listCalculationSteps, listRunSteps, stepName, type BackfillStep } from './backfill-steps.js';

export interface BackfillDependencies {
  readonly participant: string;
  readonly store: BackfillStore;
  readonly detections: Pick<BackfillDetections, 'runs' | 'run' | 'probe'>;
  readonly settings: () => DetectionSettings;
  readonly now: () => Date;
  readonly queue: Pick<EventQueue, 'depth' | 'enqueueBackfilled'>;
  /** Whether the request budget of an interface has room beside the polls. */
  readonly hasSpareRequest: (name: MarketInterface) => Promise<boolean>;
  /** Between two requests, milliseconds: BACKFILL_REQUEST_INTERVAL_MS. */
  readonly requestIntervalMs: number;
  /** Called with the type of each event that was queued. */
  readonly onQueued: (type: EventType) => void;
  /** Called with all that the backfill has left out until now. */
  readonly onLeftOut: (leftOut: readonly LeftOut[]) => void;
}

/** Limits how many backfilled events can delay a newly detected fact. */
export const MAX_QUEUED = 50;
const QUEUE_CHECK_INTERVAL_MS = 200;
/** Longest delay until a pause, an end or a new request is noticed. */
const CHECK_INTERVAL_MS = 5_000;
/** The command recognises by a newer progress that a poller works. */
const SHOW_INTERVAL_MS = 10_000;
const MAX_FAILURES = 50;
/** Beyond this, a failed step is not retried. */
const MAX_POSTPONED = 200;
const TIMELINE = 'timeline';

/** One start of a backfill, within one term of the lease. It continues after the last step of an earlier start. */
export class BackfillRun {
  private progress: BackfillProgress;
  /** By the clock of `performance`. */
  private savedAt = -Infinity;
  private readonly attempts: BackfillAttempts;

  /** @param mayContinue whether the lease is still held @param signal of the shutdown */
  constructor(
    private readonly request: BackfillRequest,
    previous: BackfillProgress | undefined,
    private readonly dependencies: BackfillDependencies,
    private readonly mayContinue: () => boolean,
    private readonly signal: AbortSignal,
  ) {
    const now = new Date().toISOString();
    this.progress = {
      requestId: request.id,
      stepsDone: 0,
      postponed: [],
      events: {},
      failures: [],
      failureCount: 0,
      startedAt: now,
      updatedAt: now,
      ...previous,
      state: 'running',
    };
    const { requestIntervalMs, hasSpareRequest, detections } = dependencies;
    this.attempts = new BackfillAttempts({
      requestIntervalMs,
      hasSpareRequest,
      pause: (ms) => this.pause(ms),
      reportWait: (reason) => this.reportWait(reason),
      probe: (name, beforeRequest) => detections.probe(name, beforeRequest),
    });
  }

  /** @returns the progress at the end @throws BackfillInterruptedError */
  async run(): Promise<BackfillProgress> {
    const calculations = listCalculationSteps(this.request);
    await this.runNew(calculations);
    const others = await this.listRunSteps();
    await this.save({ stepsTotal: calculations.length + others.length });
    await this.runNew(others);
    for (const name of this.progress.postponed) {
      const step = [...calculations, ...others].find((each) => stepName(each) === name);
      if (step === undefined) await this.fail(name, 'the timeline no longer has this run');
      else await this.runStep(step, true);
    }
    return this.save({ state: 'done' });
  }

  /** Runs the steps that no earlier start has completed. */
  private async runNew(steps: readonly BackfillStep[]): Promise<void> {
    const { lastStep = '' } = this.progress;
    for (const step of steps) if (stepName(step) > lastStep) await this.runStep(step, false);
  }

  /** Without the timeline nothing is known about the publications, so it is never given up. */
  private async listRunSteps(): Promise<BackfillStep[]> {
    const { request, dependencies } = this;
    const [from, to] = [request.from as MarketDate, request.to as MarketDate];
    const wasRead = this.progress.stepsTotal !== undefined;
    const { runs, unreadable } = await this.attempts.repeatUntilUsable((beforeRequest) =>
      dependencies.detections.runs(from, to, beforeRequest),
    );
    if (!wasRead) this.note(unreadable.map(({ path, reason }) => failureOf(TIMELINE, path, reason)));
    return listRunSteps(request, runs, dependencies.settings().settlement);
  }

  /** @param isLast whether a failure is final; otherwise the step is tried again after all others */
  private async runStep(step: BackfillStep, isLast: boolean): Promise<void> {
    const name = stepName(step);
    const { detections, store } = this.dependencies;
    const result = await this.attempts.repeat(interfaceOf(step), async (beforeRequest) => {
      const { unreadable, ...found } = await detections.run(step, beforeRequest, !this.request.dryRun);
      return { unreadable, ...(await this.createEvents(found)) };
    });
    if ('failure' in result) {
      if (isLast || this.progress.postponed.length >= MAX_POSTPONED) await this.fail(name, result.failure);
      else await this.save({ lastStep: name, postponed: [...this.progress.postponed, name] });
      return;
    }
    const { events, unreadable, leftOut } = result.value;
    if (this.request.dryRun) await store.list(events);
    else await this.raise(events);
    this.note(unreadable.map(({ path, reason }) => failureOf(name, path, reason)));
    const total = this.addLeftOut(name, leftOut);
    // In one write, so that an interrupted step is not counted twice.
    await this.complete(name, { events: addCounts(this.progress.events, events), leftOut: total });
    if (leftOut.length > 0) this.dependencies.onLeftOut(total?.items ?? []);
  }

  private async fail(name: string, reason: string): Promise<void> {
    this.note([failureOf(name, '', reason)]);
    await this.complete(name, {});
  }

  /** Postponed steps run after all others. */
  private async complete(name: string, change: Partial<BackfillProgress>): Promise<void> {
    const { stepsDone, postponed, lastStep = '' } = this.progress;
    const done = {
      lastStep: name > lastStep ? name : lastStep,
      stepsDone: stepsDone + 1,
      postponed: postponed.filter((each) => each !== name),
    };
    await this.save({ ...change, ...done });
  }

  private async createEvents({ facts, fit }: Omit<StepResult, 'unreadable'>) {
    const detectedAt = this.dependencies.now();
    const events: DetectedEvent[] = [];
    const leftOut: LeftOut[] = [];
    for (const fact of facts) {
      const { traceparent } = startTrace('event backfill');
      const detection = { detectedAt, traceparent, backfilled: true } as const;
      const event = createFactEvent(fact, this.dependencies.participant, detection);
      // A dry run stores no record of a large statement.
      const isFitted = fit !== undefined && !this.request.dryRun;
      events.push(isFitted ? await fit(event, (item) => leftOut.push(item)) : event);
    }
    return { events, leftOut };
  }

  /** Adds to what is saved, so that the fault outlasts this replica. */
  private addLeftOut(name: string, found: readonly LeftOut[]): BackfillProgress['leftOut'] {
    const { leftOut } = this.progress;
    if (found.length === 0) return leftOut;
    this.note(describeLeftOut(name, found).map((reason) => failureOf(name, '', reason)));
    return { at: new Date().toISOString(), items: sumLeftOut([...(leftOut?.items ?? []), ...found]) };
  }

  /** Queues a part at a time, so that facts which are detected meanwhile do not wait for all of them. */
  private async raise(events: readonly DetectedEvent[]): Promise<void> {
    const { queue, onQueued } = this.dependencies;
    let at = 0;
    while (at < events.length) {
      const { waiting, active, delayed } = await queue.depth();
      const room = MAX_QUEUED - waiting - active - delayed;
      if (room <= 0) {
        await this.reportWait('the publication of queued events');
        await this.pause(QUEUE_CHECK_INTERVAL_MS);
        continue;
      }
      const part = events.slice(at, at + room);
      await this.check();
      await queue.enqueueBackfilled(part, this.request.id);
      for (const { type } of part) onQueued(type);
      at += part.length;
    }
  }

  /** @throws BackfillInterruptedError when the request was paused, replaced or removed */
  private async check(): Promise<void> {
    if (!this.mayContinue() || this.signal.aborted) throw new BackfillInterruptedError();
    const { request } = await this.dependencies.store.read();
    if (request?.id !== this.request.id) throw new BackfillInterruptedError();
    if (request.isPaused) {
      await this.save({ state: 'paused' });
      throw new BackfillInterruptedError();
    }
    if (performance.now() - this.savedAt >= SHOW_INTERVAL_MS)
      await this.save({ waitingFor: this.progress.waitingFor });
  }

  private async reportWait(waitingFor: string): Promise<void> {
    if (this.progress.waitingFor !== waitingFor) await this.save({ waitingFor });
  }

  private async pause(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= CHECK_INTERVAL_MS) {
      await sleep(Math.min(left, CHECK_INTERVAL_MS), undefined, { signal: this.signal }).catch(() => {
        throw new BackfillInterruptedError();
      });
      await this.check();
    }
  }

  private note(failures: readonly BackfillFailure[]): void {
    this.progress = {
      ...this.progress,
      failures: [...this.progress.failures, ...failures].slice(0, MAX_FAILURES),
      failureCount: this.progress.failureCount + failures.length,
    };
  }

  /** Without `waitingFor`, the backfill no longer waits. */
  private async save(change: Partial<BackfillProgress>): Promise<BackfillProgress> {
    if (!this.mayContinue()) throw new BackfillInterruptedError();
    const updatedAt = new Date().toISOString();
    this.progress = { ...this.progress, waitingFor: undefined, ...change, updatedAt };
    this.savedAt = performance.now();
    await this.dependencies.store.writeProgress(this.progress);
    return this.progress;
  }
}

function interfaceOf({ kind }: BackfillStep): MarketInterface {
  return kind === 'calculations' ? 'prudential' : 'settlement';
}

function failureOf(what: string, path: string, reason: string): BackfillFailure {
  return { what, reason: path === '' ? reason : `${path}: ${reason}` };
}

/** One entry for each bound. */
function sumLeftOut(all: readonly LeftOut[]): LeftOut[] {
  const sums = new Map<string, LeftOut>();
  for (const item of all) {
    const { count = 0, kept = 0 } = sums.get(item.what) ?? {};
    sums.set(item.what, { ...item, count: count + item.count, kept: kept + item.kept });
  }
  return [...sums.values()];
}

function addCounts(
  counts: BackfillProgress['events'],
  events: readonly DetectedEvent[],
): BackfillProgress['events'] {
  const sums = { ...counts };
  for (const { type } of events) sums[type] = (sums[type] ?? 0) + 1;
  return sums;
}
