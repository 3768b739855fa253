import type { Logger } from '@ssb/platform';
import { backoffDelayMs, type Backoff } from '@ssb/resilience';

/** Between two lines about the same failure. */
const SILENCE: Backoff = { baseMs: 30_000, maxMs: 3_600_000 };

interface Trouble {
  count: number;
  lines: number;
  silentUntil: number;
}

/** What makes two failures the same one: the class of the error and the status it carries. */
export function failureKind(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'status' in error && typeof error.status === 'number' ? `${error.name} ${error.status}` : error.name;
}

/**
 * Logs failures that recur: each kind once at its beginning, then after ever longer silences (30 s doubling to an hour) with the number since
 * the start, and once when it is over. An outage of a day is then some thirty lines instead of thousands.
 */
export class FailureLog {
  private readonly troubles = new Map<string, Map<string, Trouble>>();

  constructor(
    private readonly log: Logger,
    private readonly now: () => number = Date.now,
  ) {}

  /** @param activity what was tried, e.g. `prudential` */
  failed(activity: string, error: unknown): void {
    const kinds = this.troubles.get(activity) ?? new Map<string, Trouble>();
    this.troubles.set(activity, kinds);
    const kind = failureKind(error);
    const trouble = kinds.get(kind) ?? { count: 0, lines: 0, silentUntil: -Infinity };
    kinds.set(kind, trouble);
    trouble.count += 1;
    if (this.now() < trouble.silentUntil) return;
    trouble.lines += 1;
    trouble.silentUntil = this.now() + backoffDelayMs(trouble.lines, SILENCE, 1);
    const message = error instanceof Error ? error.message : String(error);
    this.log.warn(
      { activity, kind, count: trouble.count, err: error },
      `${activity} failed (${trouble.count} times so far): ${message}`,
    );
  }

  /** The activity succeeded: what failed before is over. */
  succeeded(activity: string): void {
    const kinds = this.troubles.get(activity);
    if (kinds === undefined) return;
    this.troubles.delete(activity);
    const failures = [...kinds.values()].reduce((sum, { count }) => sum + count, 0);
    this.log.info({ activity, failures }, `${activity} succeeds again after ${failures} failures`);
  }
}
