import { dateOf, isMarketDate, isMarketDateTime, type MarketDate } from '@ssb/market';
import { notAskable, quoted, type NotAskable } from './invalid-parameter.js';

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

/** From one market day to another, both included: what operations 1 and 10 ask for. */
export interface DayWindow {
  from: MarketDate;
  to: MarketDate;
}

/** The two names of a window's parameters, first day first. */
export type WindowNames = readonly [first: string, last: string];

export type WindowQuestion = { ok: true; window: DayWindow } | NotAskable;

/**
 * Reads a window from a query, where a value is a text, or a list of texts when it was given several times. What is asked for are days; but
 * where both ends name a time of day, the first may not be after the last either. How long a window may be is not stated by document 000,
 * Limits: any length is a question.
 */
export function askWindow(query: Readonly<Record<string, unknown>>, names: WindowNames): WindowQuestion {
  const first = readOnce(query, names[0]);
  if (!first.ok) return first;
  const last = readOnce(query, names[1]);
  if (!last.ok) return last;
  if (isBefore(last, first)) {
    return notAskable(
      'window-upside-down',
      names[1],
      `${names[1]} ${last.text} is before ${names[0]} ${first.text}.`,
    );
  }
  return { ok: true, window: { from: first.day, to: last.day } };
}

interface Moment {
  readonly day: MarketDate;
  /** As it was given: the day, or a date-time of it. */
  readonly text: string;
}

function isBefore(a: Moment, b: Moment): boolean {
  const bothTimes = a.text !== a.day && b.text !== b.day;
  return bothTimes ? a.text < b.text : a.day < b.day;
}

function readOnce(
  query: Readonly<Record<string, unknown>>,
  parameter: string,
): ({ ok: true } & Moment) | NotAskable {
  const value = query[parameter];
  if (typeof value === 'string') {
    const reading = readDay(parameter, value);
    return reading.ok ? { ...reading, text: value } : reading;
  }
  return value === undefined
    ? notAskable('parameter-missing', parameter, `${parameter} ${FORMS}`)
    : notAskable('parameter-repeated', parameter, `${parameter} was given more than once; it ${FORMS}`);
}

const FORMS = 'is required once, as yyyy-MM-dd or yyyy-MM-ddTHH:mm:ss.';
