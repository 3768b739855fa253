import { backoffDelayMs, type Backoff } from '@ssb/net';

/** When runs may begin. */
export interface SchedulePolicy {
  /** Between the beginnings of two runs. */
  readonly intervalMs: number;
  /** The same for runs that are requested. */
  readonly minIntervalMs: number;
}

/** A run that was requested. */
export interface RequestedRun {
  readonly startsInMs: number;
  /** Resolves when the run has ended, successfully or not. */
  readonly ended: Promise<void>;
}

/** How a run ended. */
export type RunOutcome =
  | { readonly kind: 'completed' }
  /** More is left to do, so the next run begins at once. */
  | { readonly kind: 'unfinished' }
  | {
      readonly kind: 'failed';
      /** No run may begin earlier. */
      readonly retryAfterMs?: number | undefined;
      /** Each further failure leaves something behind, so the delays grow larger. */
      readonly isCostly?: boolean;
    };

/** Limit of a pause that the gateway requests. */
const MAX_RETRY_AFTER_MS = 15 * 60_000;
const BACKOFF: Backoff = { baseMs: 1_000, maxMs: 10_000 };
const COSTLY_BACKOFF: Backoff = { baseMs: 1_000, maxMs: 5 * 60_000 };

/** Runs a task at an interval and on request, never twice at the same time. A failed run is repeated with backoff. */
export class RunSchedule {
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  /** Start of the last run (performance.now()). */
  private startedAt = -Infinity;
  /** Time of the next run, unless one is requested. */
  private dueAt = Infinity;
  private failures = 0;
  private costlyFailures = 0;
  /** No run begins before. */
  private notBefore = -Infinity;
  private isRequested = false;
  /** Callbacks of requests that await the next run. */
  private waiting: (() => void)[] = [];

  /** @param run never rejects */
  constructor(
    private readonly run: (stopping: AbortSignal) => Promise<RunOutcome>,
    private policy: SchedulePolicy,
  ) {}

  /** The first run is one interval away, unless it is requested. */
  start(): void {
    this.setPolicy(this.policy);
  }

  /** Runs as soon as the policy permits. A request during a run leads to another run. */
  request(): RequestedRun {
    const ended = new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.stopping.signal.aborted) this.release();
    this.trigger();
    return { startsInMs: this.pauseMs(), ended };
  }

  /** As `request`, for a caller that may call it often and does not wait. */
  trigger(): void {
    this.isRequested = true;
    this.plan();
  }

  setPolicy(policy: SchedulePolicy): void {
    this.policy = policy;
    this.dueAt = Math.min(this.dueAt, performance.now() + policy.intervalMs);
    this.plan();
  }

  /** Aborts the current run and waits for its end. */
  async stop(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    this.release();
    await this.running;
  }

  private plan(): void {
    clearTimeout(this.timer);
    if (this.running !== undefined || this.stopping.signal.aborted) return;
    const dueInMs = this.isRequested ? 0 : this.dueAt - performance.now();
    this.timer = setTimeout(() => void this.begin(), Math.max(dueInMs, this.pauseMs()));
  }

  /** Time until another run may begin. */
  private pauseMs(): number {
    const now = performance.now();
    return Math.max(0, this.startedAt + this.policy.minIntervalMs - now, this.notBefore - now);
  }

  private async begin(): Promise<void> {
    const waiting = this.waiting.splice(0);
    this.isRequested = false;
    this.startedAt = performance.now();
    this.running = this.run(this.stopping.signal).then((outcome) => this.finish(outcome));
    await this.running;
    this.running = undefined;
    for (const resolve of waiting) resolve();
    this.plan();
  }

  private finish(outcome: RunOutcome): void {
    const now = performance.now();
    if (outcome.kind !== 'failed') this.failures = this.costlyFailures = 0;
    if (outcome.kind === 'completed') {
      this.dueAt = this.startedAt + this.policy.intervalMs;
    } else if (outcome.kind === 'unfinished') {
      this.dueAt = now;
      this.startedAt = -Infinity;
    } else {
      this.dueAt = now + this.retryDelayMs(outcome.isCostly === true);
      this.notBefore = now + Math.min(outcome.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
    }
  }

  private retryDelayMs(isCostly: boolean): number {
    const [failures, backoff] = isCostly
      ? [(this.costlyFailures += 1), COSTLY_BACKOFF]
      : [(this.failures += 1), BACKOFF];
    return backoffDelayMs(failures, backoff, Math.random());
  }

  private release(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
