import type { ClockMonitor } from './clock-monitor.js';
import { agreeOnOffset } from './domain/agreed-time.js';

/** The earliest and the latest clock. Both are the present when all clocks agree. */
export interface TimeSpan {
  readonly earliest: Date;
  readonly latest: Date;
}

/** A clock that differs by more is of no use. */
const MAX_SPAN_MS = 31 * 86_400_000;

/**
 * The time on which most of three clocks agree, so that a wrong local clock delays no decision. Durations and log times do not use it.
 */
export class AgreedClock {
  constructor(private readonly monitor: Pick<ClockMonitor, 'decidingOffsets'>) {}

  now(): Date {
    const local = Date.now();
    return new Date(local - agreeOnOffset(this.monitor.decidingOffsets(local)).offsetMs);
  }

  /** The times of all clocks, at most 31 days from the agreed one. */
  span(): TimeSpan {
    const local = Date.now();
    const known = this.monitor.decidingOffsets(local);
    const agreed = local - agreeOnOffset(known).offsetMs;
    const times = [0, ...known.primary, ...(known.reference === undefined ? [] : [known.reference])]
      .map((offset) => local - offset)
      .filter((time) => Math.abs(time - agreed) <= MAX_SPAN_MS);
    return {
      earliest: new Date(Math.min(agreed, ...times)),
      latest: new Date(Math.max(agreed, ...times)),
    };
  }
}
