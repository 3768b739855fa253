import type { Provider } from '@nestjs/common';
import { ALL_PARTICIPANTS } from '@ssb/events';
import { FaultReporter } from '@ssb/faults';
import { AgreedClock, ClockMonitor, LOGGER, Metrics, type Logger } from '@ssb/platform';
import type { Settings } from './settings.js';

/** The clocks that the bus-publisher compares with its own. */
export const SOURCES = ['redis', 'gateway'] as const;

export type PublisherClock = ClockMonitor<(typeof SOURCES)[number]>;

/** Compares the local clock with others. The agreed clock decides which heartbeats are too old; events are signed with the local clock. */
export function clockProviders({ CLOCK_OFFSET_LIMIT_MS: limitMs }: Settings): Provider[] {
  return [
    {
      provide: ClockMonitor,
      inject: [FaultReporter, Metrics, LOGGER],
      useFactory: (faults: FaultReporter, metrics: Metrics, log: Logger): PublisherClock =>
        new ClockMonitor({
          sources: SOURCES,
          participant: ALL_PARTICIPANTS,
          limitMs,
          deciding: { name: 'the gateway', primary: ['gateway'], reference: 'redis' },
          faults,
          metrics,
          log,
        }),
    },
    {
      provide: AgreedClock,
      inject: [ClockMonitor],
      useFactory: (clock: PublisherClock) => new AgreedClock(clock),
    },
  ];
}
