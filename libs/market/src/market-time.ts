/**
 * The market's calendar and clock: Australian Western Standard Time, UTC+8, no daylight saving. The reporting
 * API writes both without a zone (document 000, convention 3).
 */
declare const dateTimeBrand: unique symbol;
declare const dateBrand: unique symbol;

/** A market date-time without zone, `yyyy-MM-ddTHH:mm:ss`, where the operator sends them with a fraction. UTC+8. */
export type MarketDateTime = string & { readonly [dateTimeBrand]: true };
/** A market date, `yyyy-MM-dd`, in UTC+8. */
export type MarketDate = string & { readonly [dateBrand]: true };

const MARKET_OFFSET_MS = 8 * 60 * 60 * 1000;
const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** A text that is no market date or date-time, or one that no calendar has. */
export class InvalidMarketTimeError extends Error {
  override readonly name = 'InvalidMarketTimeError';
  constructor(
    readonly text: string,
    readonly expected: 'yyyy-MM-ddTHH:mm:ss' | 'yyyy-MM-dd',
  ) {
    super(`not a market time (${expected}, UTC+8): ${JSON.stringify(text.slice(0, 60))}`);
  }
}

/** Whether the text is a possible zone-less date-time, with or without a fraction of a second. */
export function isMarketDateTime(text: string): text is MarketDateTime {
  const match = DATE_TIME.exec(text);
  if (match === null) return false;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  if (hour === undefined || minute === undefined || second === undefined) return false;
  return isPossibleDay(year, month, day) && hour < 24 && minute < 60 && second < 60;
}

/** Whether the text is a possible date. */
export function isMarketDate(text: string): text is MarketDate {
  const match = DATE.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number);
  return isPossibleDay(year, month, day);
}

/** @throws InvalidMarketTimeError for another form or an impossible date. */
export function parseMarketDateTime(text: string): MarketDateTime {
  if (!isMarketDateTime(text)) throw new InvalidMarketTimeError(text, 'yyyy-MM-ddTHH:mm:ss');
  return text;
}

/** @throws InvalidMarketTimeError for another form or an impossible date. */
export function parseMarketDate(text: string): MarketDate {
  if (!isMarketDate(text)) throw new InvalidMarketTimeError(text, 'yyyy-MM-dd');
  return text;
}

/** The moment that a market date-time (or the first moment of a market date) names. Cut to milliseconds. */
export function toInstant(time: MarketDateTime | MarketDate): Date {
  const dateTime = time.includes('T') ? time : `${time}T00:00:00`;
  return new Date(Date.parse(`${dateTime}Z`) - MARKET_OFFSET_MS);
}

/** RFC 3339 with the market's offset: `2026-03-02T08:00:00+08:00`. */
export function toRfc3339(time: MarketDateTime | MarketDate): string {
  return `${time.includes('T') ? time : `${time}T00:00:00`}+08:00`;
}

/** The moment on the market's clock, to the second. */
export function marketNow(now: Date): MarketDateTime {
  return new Date(now.getTime() + MARKET_OFFSET_MS).toISOString().slice(0, 19) as MarketDateTime;
}

/** The moment's date on the market's calendar. */
export function marketToday(now: Date): MarketDate {
  return dateOf(marketNow(now));
}

/** The date part. */
export function dateOf(time: MarketDateTime | MarketDate): MarketDate {
  return time.slice(0, 10) as MarketDate;
}

/** The first moment of the date. */
export function startOfDay(date: MarketDate): MarketDateTime {
  return `${date}T00:00:00` as MarketDateTime;
}

/** The date so many calendar days later, or earlier when negative. */
export function addDays(date: MarketDate, days: number): MarketDate {
  const moment = new Date(`${date}T00:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() + days);
  return moment.toISOString().slice(0, 10) as MarketDate;
}

function isPossibleDay(year = 0, month = 0, day = 0): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= (lengths[month - 1] ?? 0);
}
