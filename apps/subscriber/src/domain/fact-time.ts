import type { SignedEvent } from '@ssb/events';

/** When a fact was published, epoch milliseconds. */
export interface FactTime {
  /** The latest time that `time` may stand for. NaN when `time` is not a valid date. */
  readonly publishedBy: number;
  /** False when the market gives only a date. */
  readonly hasTimeOfDay: boolean;
}

const DAY_MS = 86_400_000;

/** The time of an event's fact. An invoice has only a date, so it counts as published at the end of that market day. */
export function factTime({ type, time }: Pick<SignedEvent, 'type' | 'time'>): FactTime {
  const at = Date.parse(time);
  switch (type) {
    case 'settlementbus.invoice.issued.v1':
      return { publishedBy: at + DAY_MS, hasTimeOfDay: false };
    case 'settlementbus.statement.published.v1':
    case 'settlementbus.margin.warning.v1':
    case 'settlementbus.margin.breached.v1':
    case 'settlementbus.margin.restored.v1':
    case 'settlementbus.bridge.alert.raised.v1':
    case 'settlementbus.bridge.alert.cleared.v1':
    case 'settlementbus.bridge.heartbeat.v1':
      return { publishedBy: at, hasTimeOfDay: true };
    default:
      return type satisfies never;
  }
}

/**
 * Whether a fact was published long before it is archived. A fact that has only a date is late after that day.
 * @param lateAfterMs for facts with a time of day
 */
export function isLate({ publishedBy, hasTimeOfDay }: FactTime, now: Date, lateAfterMs: number): boolean {
  return now.getTime() > publishedBy + (hasTimeOfDay ? lateAfterMs : 0);
}
