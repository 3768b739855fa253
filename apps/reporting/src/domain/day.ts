import { dateOf, isMarketDate, isMarketDateTime, type MarketDate } from '@ssb/market';
import { notAskable, quoted, type NotAskable } from './question-fault.js';

export type DayReading = { ok: true; day: MarketDate } | NotAskable;

const DATE_TIME_LENGTH = 'yyyy-MM-ddTHH:mm:ss'.length;

/**
 * The market day that a date-time parameter names: `yyyy-MM-dd`, as parameters are described, or `yyyy-MM-ddTHH:mm:ss`,
 * as fields are written; zone-less market time, and nothing finer than a second (document 000, Conventions 3).
 */
export function readDay(parameter: string, text: string): DayReading {
  if (isMarketDate(text)) return { ok: true, day: text };
  if (text.length === DATE_TIME_LENGTH && isMarketDateTime(text)) return { ok: true, day: dateOf(text) };
  return notAskable(
    'impossible-date',
    parameter,
    `${parameter} ${quoted(text)} is no day of the calendar written as yyyy-MM-dd or yyyy-MM-ddTHH:mm:ss.`,
  );
}
