import type { Provider } from '@nestjs/common';
import { ALL_PARTICIPANTS } from '@ssb/events';
import { FaultReporter } from '@ssb/faults';
import { ClockMonitor, LOGGER, Metrics, type Logger } from '@ssb/platform';
import type { Settings } from './settings.js';

/** The clocks of the operator's responses. Only a replica with a lease reads them. */
export const OPERATOR_CLOCKS = ['prudential', 'settlement', 'token'] as const;

/** The clocks that the poller compares with its own. */
export const SOURCES = [...OPERATOR_CLOCKS, 'redis'] as const;

export type PollerClock = ClockMonitor<(typeof SOURCES)[number]>;

/** Compares the poller's clock with others. An `AgreedClock` of it decides about the market. The caller starts and stops its regular readings. */
export function clockProvider({ CLOCK_OFFSET_LIMIT_MS: limitMs }: Settings): Provider {
  return {
    provide: ClockMonitor,
    inject: [FaultReporter, Metrics, LOGGER],
    useFactory: (faults: FaultReporter, metrics: Metrics, log: Logger): PollerClock =>
      new ClockMonitor({
        sources: SOURCES,
        participant: ALL_PARTICIPANTS,
        limitMs,
        deciding: { name: 'the operator', primary: OPERATOR_CLOCKS, reference: 'redis' },
        faults,
        metrics,
        log,
      }),
  };
}
