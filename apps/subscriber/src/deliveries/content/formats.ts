import { toMarketTime } from '@ssb/events';
import { escapeLine, toPrintable } from '@ssb/net';

/** One line of a message: what a figure is, and its value with every digit. */
export interface Figure {
  readonly label: string;
  readonly value: string;
}

/** How a value is written. `market-time` has no zone; `instant` has one, and is shown in market time. */
export type Form = 'amount' | 'date' | 'market-time' | 'instant' | 'seconds' | 'number' | 'payer' | 'text';

/** A detail of a fault has at most 500 characters. */
const MAX_VALUE_LENGTH = 600;

export const FORMATS: Readonly<Record<Form, (value: string) => string>> = {
  amount: formatAmount,
  date: formatDate,
  'market-time': formatMarketTime,
  instant: formatInstant,
  seconds: formatSeconds,
  number: (value) => formatText(value.replace(/\.0+$/, '')),
  payer: formatPayer,
  text: formatText,
};

/** `-1234567.890` → `-1,234,567.890 AUD`. */
export function formatAmount(amount: string): string {
  const [whole = '', fraction] = amount.split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return escapeLine(`${grouped}${fraction === undefined ? '' : `.${fraction}`} AUD`);
}

/** `2026-03-20T00:00:00` → `2026-03-20`. */
export function formatDate(date: string): string {
  return escapeLine(date.slice(0, 10));
}

/** `2026-03-02T02:20:00.000Z` → `2026-03-02 10:20:00 market time (UTC+8)`. */
export function formatInstant(time: string): string {
  const milliseconds = Date.parse(time);
  if (Number.isNaN(milliseconds)) return formatText(time);
  return withZone(toMarketTime(new Date(milliseconds)).slice(0, 19).replace('T', ' '));
}

export function formatText(text: string): string {
  return toPrintable(text, MAX_VALUE_LENGTH);
}

/** A day without a time where it begins at midnight, as trading days do. */
function formatMarketTime(time: string): string {
  const [day = '', clock = ''] = time.split('T');
  const seconds = clock.split('.')[0] ?? '';
  return escapeLine(/^(?:00:00:00)?$/.test(seconds) ? day : withZone(`${day} ${seconds}`));
}

const withZone = (marketTime: string): string => `${marketTime} market time (UTC+8)`;

function formatSeconds(text: string): string {
  const seconds = Number(text);
  const [count, unit] =
    seconds >= 172_800
      ? [seconds / 86_400, 'days']
      : seconds >= 7_200
        ? [seconds / 3_600, 'hours']
        : seconds >= 120
          ? [seconds / 60, 'minutes']
          : [seconds, 'seconds'];
  return `${Number(count.toFixed(1))} ${unit}`;
}

/** The direction of a payment. */
function formatPayer(direction: string): string {
  if (direction === 'pay') return 'the participant';
  return direction === 'receive' ? 'the operator' : formatText(direction);
}
