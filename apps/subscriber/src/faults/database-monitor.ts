import { ALL_PARTICIPANTS } from '@ssb/events';
import type { FaultReporter } from '@ssb/faults';

const DATABASE_UNAVAILABLE = { reason: 'database-unavailable', participant: ALL_PARTICIPANTS } as const;
const MAX_INTERVAL_MS = 1_000;

export interface DatabaseMonitorOptions {
  /** Each throws an error with the reason while the database accepts no writes. */
  readonly checks: readonly (() => void)[];
  readonly faults: Pick<FaultReporter, 'raise' | 'clear'>;
  /** DATABASE_UNAVAILABLE_AFTER_MS. */
  readonly unavailableAfterMs: number;
}

/** Reports `database-unavailable` while the writes of this replica fail: renewals of its lease, and messages. */
export class DatabaseMonitor {
  private timer: NodeJS.Timeout | undefined;
  private failingSince: number | undefined;

  constructor(private readonly options: DatabaseMonitorOptions) {}

  start(): void {
    const intervalMs = Math.min(MAX_INTERVAL_MS, this.options.unavailableAfterMs);
    this.timer = setInterval(() => this.check(), intervalMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private check(): void {
    const { checks, faults, unavailableAfterMs } = this.options;
    try {
      for (const check of checks) check();
      this.failingSince = undefined;
      faults.clear(DATABASE_UNAVAILABLE);
    } catch (error) {
      const now = performance.now();
      this.failingSince ??= now;
      const failingMs = now - this.failingSince;
      if (failingMs < unavailableAfterMs) return;
      const reason = error instanceof Error ? error.message : 'unknown failure';
      const detail = `PostgreSQL accepts no writes for ${Math.round(failingMs / 1_000)} s. ${reason}`;
      faults.raise({ ...DATABASE_UNAVAILABLE, detail });
    }
  }
}
