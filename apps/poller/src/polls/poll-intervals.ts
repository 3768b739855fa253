import type { MarketInterface } from '@ssb/events';
import { DEFAULT_SCHEDULE, type ScheduleSettings } from '../detection/schedule/schedule-settings.js';
import { requestTimeoutMs } from '../market/market-clients.js';
import type { Settings } from '../settings.js';

/** Time between two polls of an interface, milliseconds. */
export function timerIntervals(settings: Settings): Readonly<Record<MarketInterface, number>> {
  return {
    prudential: settings.POLL_PRUDENTIAL_INTERVAL_MS,
    settlement: settings.POLL_SETTLEMENT_INTERVAL_MS,
  };
}

/** Largest time between two requests of an interface when one is due, milliseconds. */
export function pollIntervals(settings: Settings): Readonly<Record<MarketInterface, number>> {
  return {
    prudential: settings.POLL_PRUDENTIAL_INTERVAL_MS,
    // After a failure the next request may come later than the next poll.
    settlement: Math.max(settings.POLL_SETTLEMENT_INTERVAL_MS, settings.SETTLEMENT_RETRY_INTERVAL_MS),
  };
}

/** A poll is overdue after this many intervals without a success. */
const MAX_INTERVALS = 3;

/**
 * How long an interface may be without a successful poll, milliseconds. A poll may last as long as a request, so a shorter interval counts
 * as one request timeout. Pauses after failures do not extend it.
 */
export function overdueAfterMs(settings: Settings): Readonly<Record<MarketInterface, number>> {
  const intervals = pollIntervals(settings);
  const limitOf = (name: MarketInterface): number =>
    MAX_INTERVALS * Math.max(intervals[name], requestTimeoutMs(name, settings));
  return { prudential: limitOf('prudential'), settlement: limitOf('settlement') };
}

const DAY_MS = 86_400_000;

/** How often, how far and how many settlement documents are requested. */
export function settlementLimits(settings: Settings) {
  return {
    schedule: readSchedule(settings),
    fetchesPerPoll: settings.SETTLEMENT_FETCHES_PER_POLL,
    lookbackDays: settings.TIMELINE_LOOKBACK_DAYS,
    lookaheadDays: settings.TIMELINE_LOOKAHEAD_DAYS,
  };
}

/** How often the timeline, statements and invoices are requested. */
export function readSchedule(settings: Settings): ScheduleSettings {
  const { dueIntervals } = DEFAULT_SCHEDULE;
  const dueMs = settings.SETTLEMENT_DUE_INTERVAL_MS;
  const overdueMs = Math.max(dueMs, settings.SETTLEMENT_OVERDUE_INTERVAL_MS);
  return {
    timelineIntervalMs: settings.TIMELINE_INTERVAL_MS,
    retryIntervalMs: settings.SETTLEMENT_RETRY_INTERVAL_MS,
    earlyIntervalMs: settings.SETTLEMENT_EARLY_INTERVAL_MS,
    commencedIntervalMs: settings.SETTLEMENT_COMMENCED_INTERVAL_MS,
    dueIntervals: dueIntervals.map(({ untilAgeMs, intervalMs }, index) => ({
      untilAgeMs,
      intervalMs: index === 0 ? dueMs : Math.min(overdueMs, Math.max(dueMs, intervalMs)),
    })),
    recheckIntervals: [
      {
        untilAgeMs: settings.SETTLEMENT_RECHECK_DAYS * DAY_MS,
        intervalMs: settings.SETTLEMENT_RECHECK_INTERVAL_MS,
      },
      { intervalMs: settings.SETTLEMENT_LATER_RECHECK_INTERVAL_MS },
    ],
  };
}
