/** Market time is Australian Western Standard Time: UTC+8, no daylight saving. The reporting API writes it without a zone (document 000, convention 3). */
declare const dateTimeBrand: unique symbol;
declare const dateBrand: unique symbol;

/** A zone-less market date-time, `yyyy-MM-ddTHH:mm:ss`, with a fraction where the operator sends one. UTC+8. */
export type MarketDateTime = string & { readonly [dateTimeBrand]: true };
/** A market date, `yyyy-MM-dd`, in UTC+8. */
export type MarketDate = string & { readonly [dateBrand]: true };

const MARKET_OFFSET_MS = 8 * 60 * 60 * 1000;
const DAY = /(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])/.source;
const DATE = new RegExp(`^${DAY}$`);
const DATE_TIME = new RegExp(`^${DAY}T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?$`);

/** The text is not a market date or date-time, or the date does not exist. */
export class InvalidMarketTimeError extends Error {
  override readonly name = 'InvalidMarketTimeError';
  constructor(
    readonly text: string,
    readonly expected: 'yyyy-MM-ddTHH:mm:ss' | 'yyyy-MM-dd',
  ) {
    super(`not a market time (${expected}, UTC+8): ${JSON.stringify(text.slice(0, 60))}`);
  }
}

/** Whether the text is a zone-less date-time that exists, with or without a fraction of a second. */
export function isMarketDateTime(text: string): text is MarketDateTime {
  return DATE_TIME.test(text) && isWithinMonth(text);
}

/** Whether the text is a date that exists. */
export function isMarketDate(text: string): text is MarketDate {
  return DATE.test(text) && isWithinMonth(text);
}

/** @throws InvalidMarketTimeError for another form or a date that does not exist */
export function parseMarketDateTime(text: string): MarketDateTime {
  if (!isMarketDateTime(text)) throw new InvalidMarketTimeError(text, 'yyyy-MM-ddTHH:mm:ss');
  return text;
}

/** @throws InvalidMarketTimeError for another form or a date that does not exist */
export function parseMarketDate(text: string): MarketDate {
  if (!isMarketDate(text)) throw new InvalidMarketTimeError(text, 'yyyy-MM-dd');
  return text;
}

/** The instant of a market date-time, or of midnight of a market date. Truncated to milliseconds. */
export function toInstant(time: MarketDateTime | MarketDate): Date {
  const dateTime = time.includes('T') ? time : `${time}T00:00:00`;
  return new Date(Date.parse(`${dateTime}Z`) - MARKET_OFFSET_MS);
}

/** The market time of an instant, truncated to seconds. */
export function toMarketDateTime(instant: Date): MarketDateTime {
  return new Date(instant.getTime() + MARKET_OFFSET_MS).toISOString().slice(0, 19) as MarketDateTime;
}

/** The market date of an instant. */
export function toMarketDate(instant: Date): MarketDate {
  return dateOf(toMarketDateTime(instant));
}

/** The date of a date-time. */
export function dateOf(time: MarketDateTime | MarketDate): MarketDate {
  return time.slice(0, 10) as MarketDate;
}

/** Midnight of a date. */
export function startOfDay(date: MarketDate): MarketDateTime {
  return `${date}T00:00:00` as MarketDateTime;
}

/** Sunday is 0. */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** The day of the week of a date. */
export function weekdayOf(date: MarketDate): Weekday {
  return new Date(`${date}T00:00:00Z`).getUTCDay() as Weekday;
}

/** The date `days` calendar days later, or earlier for a negative number. */
export function addDays(date: MarketDate, days: number): MarketDate {
  const midnight = new Date(`${date}T00:00:00Z`);
  midnight.setUTCDate(midnight.getUTCDate() + days);
  return midnight.toISOString().slice(0, 10) as MarketDate;
}

/** Whether the month of a date has its day. */
function isWithinMonth(date: string): boolean {
  const day = Number(date.slice(8, 10));
  if (day <= 28) return true;
  const [year, month] = [Number(date.slice(0, 4)), Number(date.slice(5, 7))];
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (month === 2) return isLeapYear && day === 29;
  return day <= 30 || ![4, 6, 9, 11].includes(month);
}
