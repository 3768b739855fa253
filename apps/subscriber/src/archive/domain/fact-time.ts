import { timePrecisionOf, type SignedEvent } from '@ssb/events';

/** When a fact was published, epoch milliseconds. */
export interface FactTime {
  /** The latest time that `time` may stand for. NaN when `time` is not a valid date. */
  readonly publishedBy: number;
  /** False when the market gives only a date. */
  readonly hasTimeOfDay: boolean;
}

const DAY_MS = 86_400_000;

/** The time of an event's fact. A fact that has only a date counts as published at the end of that market day. */
export function factTime({ type, time }: Pick<SignedEvent, 'type' | 'time'>): FactTime {
  const at = Date.parse(time);
  return timePrecisionOf(type) === 'day'
    ? { publishedBy: at + DAY_MS, hasTimeOfDay: false }
    : { publishedBy: at, hasTimeOfDay: true };
}

/**
 * Whether a fact was published long before it is archived. A fact that has only a date is late after that day.
 * @param lateAfterMs for facts with a time of day
 */
export function isLate({ publishedBy, hasTimeOfDay }: FactTime, now: Date, lateAfterMs: number): boolean {
  return now.getTime() > publishedBy + (hasTimeOfDay ? lateAfterMs : 0);
}
