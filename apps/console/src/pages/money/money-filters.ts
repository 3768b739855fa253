import { CHOICES } from '../../api/operations.js';
import { addDays, isDay } from '../../format/market-time.js';

type Market = (typeof CHOICES)['/v1/payments']['market'][number];

/** Which payments the page shows. */
export interface MoneyFilters {
  readonly from: string;
  /** The last day. */
  readonly to: string;
  /** Days from today on, negative for those before; absent when the days were chosen one by one. */
  readonly days?: number;
  readonly participant?: string;
  readonly market?: Market;
  /** The day whose invoices are shown. */
  readonly openDay?: string;
}

/** Numbers of days that the page offers. */
export const DAY_CHOICES: readonly { readonly days: number; readonly label: string }[] = [
  { days: 14, label: 'Next 14 days' },
  { days: 30, label: 'Next 30 days' },
  { days: 60, label: 'Next 60 days' },
  { days: -30, label: 'Last 30 days' },
  { days: -90, label: 'Last 90 days' },
];
const DEFAULT_DAYS = 14;

/** Reads the address. A value that is not allowed is ignored. @param today day of the market */
export function readMoneyFilters(
  search: Readonly<Record<string, string | undefined>>,
  today: string,
): MoneyFilters {
  const { from, to, days, participant, market, day } = search;
  const isKnown = (text: string | undefined): text is Market =>
    CHOICES['/v1/payments'].market.some((each) => each === text);
  return {
    ...readDays(from, to, days, today),
    ...(participant && { participant }),
    ...(isKnown(market) && { market }),
    ...(isDay(day) && { openDay: day }),
  };
}

function readDays(
  from: string | undefined,
  to: string | undefined,
  days: string | undefined,
  today: string,
): Pick<MoneyFilters, 'from' | 'to' | 'days'> {
  if (isDay(from) || isDay(to)) {
    const first = isDay(from) ? from : today;
    return { from: first, to: isDay(to) ? to : addDays(first, DEFAULT_DAYS - 1) };
  }
  const chosen = DAY_CHOICES.find((choice) => String(choice.days) === days)?.days ?? DEFAULT_DAYS;
  return chosen > 0
    ? { from: today, to: addDays(today, chosen - 1), days: chosen }
    : { from: addDays(today, chosen), to: addDays(today, -1), days: chosen };
}
