/** More seconds than anybody waits; what is larger is as good as this. */
const MOST_SECONDS = 1_000_000_000;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH = MONTHS.join('|');
const TIME = '\\d\\d:\\d\\d:\\d\\d';

/** RFC 9110 §5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete forms that a recipient must read as well. */
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
 * @param now epoch milliseconds by the clock that such a date is meant by
 * @returns milliseconds, 0 for a date that is over; undefined where it is absent, sent twice, or in no form of the RFC (`1.5`, `-5`)
 */
export function readRetryAfter(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text), MOST_SECONDS) * 1_000;
  const moment = readHttpDate(text, now);
  return moment === undefined ? undefined : Math.max(0, moment - now);
}

/**
 * An HTTP date to the letter of RFC 9110 §5.6.7.
 * @returns epoch milliseconds; undefined for anything else, a day that its month does not have or a wrong day of the week included
 */
export function readHttpDate(text: string, now: number): number | undefined {
  const parts = (IMF_FIXDATE.exec(text) ?? RFC_850.exec(text) ?? ASCTIME.exec(text))?.groups;
  if (parts === undefined) return undefined;
  const { name, day = '', month, time } = parts;
  const year = fullYear(parts['year'] ?? '', now);
  const fixed = `${name}, ${day.replace(' ', '0')} ${month} ${year} ${time} GMT`;
  const moment = Date.parse(fixed);
  return Number.isNaN(moment) || new Date(moment).toUTCString() !== fixed ? undefined : moment;
}

/** Two digits mean the year that is not more than fifty years ahead (RFC 9110 §5.6.7). */
function fullYear(digits: string, now: number): string {
  if (digits.length === 4) return digits;
  const thisYear = new Date(now).getUTCFullYear();
  const sameCentury = thisYear - (thisYear % 100) + Number(digits);
  return String(sameCentury > thisYear + 50 ? sameCentury - 100 : sameCentury);
}
