import { ClockMonitor, type ClockFaults } from '@ssb/clock';
import type { Logger, Metrics } from '@ssb/platform';
import type { Settings } from './settings.js';

/** The clocks of the operator's answers. Only the leader reads them. */
export const OPERATOR_CLOCKS = ['prudential', 'settlement', 'token'] as const;

/** The clocks that the poller compares with its own. */
export const SOURCES = [...OPERATOR_CLOCKS, 'redis'] as const;

export type PollerClock = ClockMonitor<(typeof SOURCES)[number]>;

/** Reports the poller's clock. Times are not corrected. The caller starts and stops its regular readings. */
export function createClock(
  { PARTICIPANT, CLOCK_OFFSET_LIMIT_MS }: Settings,
  dependencies: { readonly faults: ClockFaults; readonly metrics: Metrics; readonly log: Logger },
): PollerClock {
  return new ClockMonitor({
    sources: SOURCES,
    participant: PARTICIPANT,
    limitMs: CLOCK_OFFSET_LIMIT_MS,
    ...dependencies,
  });
}
