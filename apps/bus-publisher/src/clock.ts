import { ClockMonitor, type ClockFaults, type Logger, type Metrics } from '@ssb/platform';
import { ALL_PARTICIPANTS } from '@ssb/events';
import { readRedisClock, type RedisConnection } from '@ssb/redis-queue';
import type { Settings } from './settings.js';

/** The clocks that the bus-publisher compares with its own. */
export const SOURCES = ['redis', 'gateway'] as const;

export type PublisherClock = ClockMonitor<(typeof SOURCES)[number]>;

/** Compares the publisher's clock with others. An `AgreedClock` of it decides which heartbeats are too old; events are signed with the local clock. */
export function createClock(
  { CLOCK_OFFSET_LIMIT_MS }: Settings,
  dependencies: { readonly faults: ClockFaults; readonly metrics: Metrics; readonly log: Logger },
): PublisherClock {
  return new ClockMonitor({
    sources: SOURCES,
    participant: ALL_PARTICIPANTS,
    limitMs: CLOCK_OFFSET_LIMIT_MS,
    deciding: { name: 'the gateway', primary: ['gateway'], reference: 'redis' },
    ...dependencies,
  });
}

/** Reads the clock of Redis regularly until the monitor is stopped. The clients of the gateway report the clock of each answer. */
export function watchRedisClock(clock: PublisherClock, redis: RedisConnection): void {
  clock.watch(async () => clock.observe('redis', await readRedisClock(redis)));
}
