import { dateOf, isMarketDate, isMarketDateTime, type MarketDate } from '@ssb/market';
import { invalidParameter, quote, type Parsed } from './invalid-parameter.js';

const DATE_TIME_LENGTH = 'yyyy-MM-ddTHH:mm:ss'.length;

/**
 * Parses `yyyy-MM-dd` or `yyyy-MM-ddTHH:mm:ss` as a market day (document 000, Conventions 3).
 * A zone and fractions of a second are invalid.
 */
export function parseDay(parameter: string, text: string): Parsed<MarketDate> {
  if (isMarketDate(text)) return { ok: true, value: text };
  if (text.length === DATE_TIME_LENGTH && isMarketDateTime(text)) return { ok: true, value: dateOf(text) };
  return invalidParameter(
    'impossible-date',
    parameter,
    `${parameter} ${quote(text)} is not a day of the calendar written as yyyy-MM-dd or yyyy-MM-ddTHH:mm:ss.`,
  );
}

/** Two market days, both included: the parameters of operations 1 and 10. */
export interface DayWindow {
  from: MarketDate;
  to: MarketDate;
}

/** A value is a text, or a list of texts when the parameter is repeated. */
export type QueryValues = Readonly<Record<string, unknown>>;

/**
 * Parses the first and last day of a window. Times of day count only where both parameters have one.
 * Document 000 names no longest window, so any length is valid.
 */
export function parseDayWindow(
  query: QueryValues,
  [firstName, lastName]: readonly [first: string, last: string],
): Parsed<DayWindow> {
  const first = parseMoment(query, firstName);
  if (!first.ok) return first;
  const last = parseMoment(query, lastName);
  if (!last.ok) return last;
  if (isBefore(last.value, first.value)) {
    return invalidParameter(
      'window-upside-down',
      lastName,
      `${lastName} ${last.value.text} is before ${firstName} ${first.value.text}.`,
    );
  }
  return { ok: true, value: { from: first.value.day, to: last.value.day } };
}

interface Moment {
  readonly day: MarketDate;
  /** The parameter as sent: the day, or a date-time of it. */
  readonly text: string;
}

function isBefore(a: Moment, b: Moment): boolean {
  const bothTimes = a.text !== a.day && b.text !== b.day;
  return bothTimes ? a.text < b.text : a.day < b.day;
}

const FORMS = 'is required once, as yyyy-MM-dd or yyyy-MM-ddTHH:mm:ss.';

function parseMoment(query: QueryValues, parameter: string): Parsed<Moment> {
  const text = query[parameter];
  if (typeof text === 'string') {
    const day = parseDay(parameter, text);
    return day.ok ? { ok: true, value: { day: day.value, text } } : day;
  }
  return text === undefined
    ? invalidParameter('parameter-missing', parameter, `${parameter} ${FORMS}`)
    : invalidParameter('parameter-repeated', parameter, `${parameter} was given more than once; it ${FORMS}`);
}
