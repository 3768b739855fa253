import type { Provider } from '@nestjs/common';
import { clockProvider } from '@ssb/faults';
import type { ClockMonitor } from '@ssb/platform';
import type { Settings } from './settings.js';

/** The clocks of the operator's responses. Only a replica with a lease reads them. */
export const OPERATOR_CLOCKS = ['prudential', 'settlement', 'token'] as const;

/** The clocks that the poller compares with its own. */
export const SOURCES = [...OPERATOR_CLOCKS, 'redis'] as const;

export type PollerClock = ClockMonitor<(typeof SOURCES)[number]>;

export function pollerClockProvider({ CLOCK_OFFSET_LIMIT_MS: limitMs }: Settings): Provider {
  const deciding = { name: 'the operator', primary: OPERATOR_CLOCKS, reference: 'redis' } as const;
  return clockProvider({ sources: SOURCES, limitMs, deciding });
}
