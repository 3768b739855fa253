import type { Logger } from '@ssb/platform';
import { backoffDelayMs, type Backoff } from '@ssb/net';

/** Time between two log lines about the same failure. */
const REPEAT_INTERVAL: Backoff = { baseMs: 30_000, maxMs: 3_600_000 };

interface FailureRecord {
  count: number;
  lines: number;
  silentUntil: number;
}

/** Groups equal failures: the class of the error and its status, if it has one. */
export function failureKind(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'status' in error && typeof error.status === 'number' ? `${error.name} ${error.status}` : error.name;
}

/**
 * Logs recurring failures: each kind at its first occurrence, then after 30 s, doubling to an hour, and once when the activity succeeds
 * again. An outage of a day causes about thirty lines.
 */
export class FailureLog {
  private readonly records = new Map<string, Map<string, FailureRecord>>();

  constructor(
    private readonly log: Logger,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @param activity what failed, such as `prudential` */
  failed(activity: string, error: unknown): void {
    const kinds = this.records.get(activity) ?? new Map<string, FailureRecord>();
    this.records.set(activity, kinds);
    const kind = failureKind(error);
    const record = kinds.get(kind) ?? { count: 0, lines: 0, silentUntil: -Infinity };
    kinds.set(kind, record);
    record.count += 1;
    if (this.now() < record.silentUntil) return;
    record.lines += 1;
    record.silentUntil = this.now() + backoffDelayMs(record.lines, REPEAT_INTERVAL, 1);
    this.log.warn({ activity, kind, count: record.count, err: error }, 'activity failed');
  }

  /** Logs the end of the failures, if there were any. */
  succeeded(activity: string): void {
    const kinds = this.records.get(activity);
    if (kinds === undefined) return;
    this.records.delete(activity);
    const failures = [...kinds.values()].reduce((sum, { count }) => sum + count, 0);
    this.log.info({ activity, failures }, 'activity recovered');
  }
}
