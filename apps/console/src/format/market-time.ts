/** Market time is UTC+8 all year: Western Australia has no daylight saving. */
const MARKET_OFFSET_MINUTES = 480;

const MINUTE_MS = 60_000;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export interface ClockReading {
  /** `Mon 30 Nov 2026` */
  readonly day: string;
  /** `17:34:05` */
  readonly time: string;
}

/** The reading of a clock in the market. @param at epoch milliseconds, or a time with its offset */
export function readMarketClock(at: string | number): ClockReading {
  return readClock(new Date(at).getTime(), MARKET_OFFSET_MINUTES);
}

/** The reading of the reader's own clock; undefined when it is that of the market. */
export function readOwnClock(at: string | number, offsetMinutes?: number): ClockReading | undefined {
  const date = new Date(at);
  const offset = offsetMinutes ?? -date.getTimezoneOffset();
  return offset === MARKET_OFFSET_MINUTES ? undefined : readClock(date.getTime(), offset);
}

/** A time in a text, such as `Mon 30 Nov 2026 14:02 AWST (07:02 here)`; the second part only where the clocks differ. */
export function formatTime(at: string | number, offsetMinutes?: number): string {
  const market = readMarketClock(at);
  const own = describeOwnTime(at, offsetMinutes);
  return `${market.day} ${market.time.slice(0, 5)} AWST${own === undefined ? '' : ` (${own})`}`;
}

/** The reader's own time, such as `07:02 here`, with the weekday where it differs; undefined when the clocks agree. */
export function describeOwnTime(at: string | number, offsetMinutes?: number): string | undefined {
  const own = readOwnClock(at, offsetMinutes);
  if (own === undefined) return undefined;
  const weekday = own.day === readMarketClock(at).day ? '' : `${own.day.slice(0, 3)} `;
  return `${weekday}${own.time.slice(0, 5)} here`;
}

/** A day of the market, such as `2026-11-30`, as `Mon 30 Nov 2026`. */
export function formatDay(day: string): string {
  return readClock(Date.parse(`${day}T00:00:00Z`), 0).day;
}

/** Whether a text is a day that exists, such as `2026-11-30`. */
export function isDay(text: string | undefined): text is string {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The day of the market at a time, as `2026-11-30`. */
export function toMarketDay(at: number): string {
  return new Date(at + MARKET_OFFSET_MINUTES * MINUTE_MS).toISOString().slice(0, 10);
}

/** The day of the market at a time or a day as an address has it; undefined when it is neither. */
export function marketDayOf(text: string): string | undefined {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : toMarketDay(at);
}

/** A day some days later. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Whole days from one day to another; negative when the other is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);
}

/** The beginning of a day of the market, as a time with its offset. */
export function beginningOfDay(day: string): string {
  return `${day}T00:00:00+08:00`;
}

const UNITS = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
];

/** A duration in its two largest units, such as `2 h 5 min`. */
export function formatDuration(ms: number): string {
  let rest = Math.max(0, Math.round(ms / 1_000));
  const parts: string[] = [];
  for (const { name, seconds } of UNITS) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) parts.push(`${count} ${name}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0 s';
}

function readClock(epochMs: number, offsetMinutes: number): ClockReading {
  const shifted = new Date(epochMs + offsetMinutes * MINUTE_MS);
  if (Number.isNaN(shifted.getTime())) return { day: '', time: '' };
  const day = `${WEEKDAYS[shifted.getUTCDay()]} ${shifted.getUTCDate()} ${MONTHS[shifted.getUTCMonth()]}`;
  return { day: `${day} ${shifted.getUTCFullYear()}`, time: shifted.toISOString().slice(11, 19) };
}
