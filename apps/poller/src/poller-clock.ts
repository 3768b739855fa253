import { ClockMonitor, type ClockFaults, type Logger, type Metrics } from '@ssb/platform';
import { ALL_PARTICIPANTS } from '@ssb/events';
import type { Settings } from './settings.js';

/** The clocks of the operator's responses. Only a replica with a lease reads them. */
export const OPERATOR_CLOCKS = ['prudential', 'settlement', 'token'] as const;

/** The clocks that the poller compares with its own. */
export const SOURCES = [...OPERATOR_CLOCKS, 'redis'] as const;

export type PollerClock = ClockMonitor<(typeof SOURCES)[number]>;

/** Compares the poller's clock with others. An `AgreedClock` of it decides about the market. The caller starts and stops its regular readings. */
export function createClock(
  { CLOCK_OFFSET_LIMIT_MS }: Settings,
  dependencies: { readonly faults: ClockFaults; readonly metrics: Metrics; readonly log: Logger },
): PollerClock {
  return new ClockMonitor({
    sources: SOURCES,
    participant: ALL_PARTICIPANTS,
    limitMs: CLOCK_OFFSET_LIMIT_MS,
    deciding: { name: 'the operator', primary: OPERATOR_CLOCKS, reference: 'redis' },
    ...dependencies,
  });
}
