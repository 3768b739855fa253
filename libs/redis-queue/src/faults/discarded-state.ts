import type { Logger, Metrics } from '@ssb/platform';
import type { DiscardReason, DiscardedValue } from '../redis/authenticated-hash.js';
import { DISCARDED_STATE_METRIC, type FaultReporter } from '@ssb/faults';

/** State that an app saves in Redis. */
export type SavedState = 'poller-state' | 'operational-alerts' | 'backfill';

/** Between two reports of one kind of state and participant. The report is saved state itself, so a writer to Redis could cause a further one at once. */
const MIN_REPORT_INTERVAL_MS = 60_000;

interface Unreported {
  readonly state: SavedState;
  readonly participant: string;
  readonly counts: Map<DiscardReason, number>;
  /** Set since the last report, until the next one may follow. */
  timer?: NodeJS.Timeout;
}

/** Counts, logs and reports state that was discarded because its content does not come from the bridge. */
export class DiscardedState {
  /** By kind of state and participant. */
  private readonly unreported = new Map<string, Unreported>();
  private readonly counter;
  private stopped = false;

  constructor(
    metrics: Metrics,
    private readonly log: Logger,
    private readonly faults: () => Pick<FaultReporter, 'raise'>,
    private readonly minReportIntervalMs = MIN_REPORT_INTERVAL_MS,
  ) {
    this.counter = metrics.counter(DISCARDED_STATE_METRIC);
  }

  /** Shows neither fields nor values, because a writer to Redis chose them. */
  report(state: SavedState, participant: string, discarded: readonly DiscardedValue[]): void {
    if (discarded.length === 0) return;
    const key = `${state} ${participant}`;
    const entry: Unreported = this.unreported.get(key) ?? { state, participant, counts: new Map() };
    this.unreported.set(key, entry);
    for (const { reason } of discarded) {
      this.counter.inc({ state, reason });
      entry.counts.set(reason, (entry.counts.get(reason) ?? 0) + 1);
    }
    if (entry.timer === undefined && !this.stopped) this.reportCounts(entry);
  }

  /** Reports what is left. Later values are only counted in the metric. */
  stop(): void {
    this.stopped = true;
    for (const entry of this.unreported.values()) {
      clearTimeout(entry.timer);
      this.reportCounts(entry);
    }
  }

  private reportCounts(entry: Unreported): void {
    const { state, participant, counts } = entry;
    entry.timer = undefined;
    if (counts.size === 0) return;
    const count = [...counts.values()].reduce((sum, each) => sum + each, 0);
    const reasons = [...counts].map(([reason, each]) => `${reason} ${each}`).join(', ');
    counts.clear();
    this.log.warn({ what: state, participant, count, reason: reasons }, 'state discarded');
    const detail = `Values of ${state} in Redis that were discarded: ${count} (${reasons}).`;
    this.faults().raise({ reason: 'state-authentication-failed', participant, detail });
    if (this.stopped) return;
    entry.timer = setTimeout(() => this.reportCounts(entry), this.minReportIntervalMs).unref();
  }
}
