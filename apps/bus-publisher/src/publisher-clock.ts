import type { Provider } from '@nestjs/common';
import { clockProvider } from '@ssb/faults';
import { AgreedClock, ClockMonitor } from '@ssb/platform';
import type { Settings } from './settings.js';

/** The clocks that the bus-publisher compares with its own. */
export const SOURCES = ['redis', 'gateway'] as const;

export type PublisherClock = ClockMonitor<(typeof SOURCES)[number]>;

/** The agreed clock decides which heartbeats are too old; events are signed with the local clock. */
export function clockProviders({ CLOCK_OFFSET_LIMIT_MS: limitMs }: Settings): Provider[] {
  const deciding = { name: 'the gateway', primary: ['gateway'], reference: 'redis' } as const;
  return [
    clockProvider({ sources: SOURCES, limitMs, deciding }),
    {
      provide: AgreedClock,
      inject: [ClockMonitor],
      useFactory: (clock: PublisherClock) => new AgreedClock(clock),
    },
  ];
}
