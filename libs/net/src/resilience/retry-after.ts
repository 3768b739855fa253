/** A longer wait counts as this one. */
const MAX_SECONDS = 1_000_000_000;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH = MONTHS.join('|');
const TIME = '\\d\\d:\\d\\d:\\d\\d';

/** The current form of RFC 9110 §5.6.7. A recipient must accept the two obsolete forms below as well. */
const IMF_FIXDATE = new RegExp(
  `^(?<name>\\w{3}), (?<day>\\d\\d) (?<month>${MONTH}) (?<year>\\d{4}) (?<time>${TIME}) GMT$`,
);
const RFC_850 = new RegExp(
  `^(?<name>\\w{3})\\w*day, (?<day>\\d\\d)-(?<month>${MONTH})-(?<year>\\d\\d) (?<time>${TIME}) GMT$`,
);
const ASCTIME = new RegExp(
  `^(?<name>\\w{3}) (?<month>${MONTH}) (?<day>[ \\d]\\d) (?<time>${TIME}) (?<year>\\d{4})$`,
);

/**
 * `Retry-After` in either of its forms (RFC 9110 §10.2.3): whole seconds, or an HTTP date.
 * @param now epoch milliseconds by the clock that wrote the date
 * @returns milliseconds, 0 for a date in the past; undefined when it is absent, repeated or malformed
 */
export function parseRetryAfter(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text), MAX_SECONDS) * 1_000;
  const moment = parseHttpDate(text, now);
  return moment === undefined ? undefined : Math.max(0, moment - now);
}

/**
 * An HTTP date (RFC 9110 §5.6.7).
 * @param now epoch milliseconds; completes a year of two digits
 * @returns epoch milliseconds; undefined for anything else, an impossible day or a wrong day of the week included
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  const fields = (IMF_FIXDATE.exec(text) ?? RFC_850.exec(text) ?? ASCTIME.exec(text))?.groups;
  if (fields === undefined) return undefined;
  const { name, day = '', month, time } = fields;
  const year = fullYear(fields['year'] ?? '', now);
  const normalized = `${name}, ${day.replace(' ', '0')} ${month} ${year} ${time} GMT`;
  const moment = Date.parse(normalized);
  return Number.isNaN(moment) || new Date(moment).toUTCString() !== normalized ? undefined : moment;
}

/** Two digits mean a year at most fifty years ahead (RFC 9110 §5.6.7). */
function fullYear(digits: string, now: number): string {
  if (digits.length === 4) return digits;
  const thisYear = new Date(now).getUTCFullYear();
  const sameCentury = thisYear - (thisYear % 100) + Number(digits);
  return String(sameCentury > thisYear + 50 ? sameCentury - 100 : sameCentury);
}
