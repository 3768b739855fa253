import { CHOICES } from '../../api/operations.js';
import { addDays, marketDayOf } from '../../format/market-time.js';
import { faultsOf, readChoices, readTime, type Filters } from '../../format/search-values.js';

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
  /** Sentences about what was ignored. */
  readonly faults: readonly string[];
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

/** Reads the address. @param today day of the market */
export function readMoneyFilters(search: Filters, today: string): MoneyFilters {
  const { participant } = search;
  const market = readChoices('market', search['market'], CHOICES['/v1/payments'].market);
  const from = readTime('first day', search['from']);
  const to = readTime('last day', search['to']);
  const days = readChoices(
    'number of days',
    search['days'],
    DAY_CHOICES.map((choice) => String(choice.days)),
  );
  const open = readTime('open day', search['day']);
  const openDay = toDay(open.value);
  const chosen = Number(days.value?.[0] ?? DEFAULT_DAYS);
  return {
    ...toRange(toDay(from.value), toDay(to.value), chosen, today),
    ...(participant && { participant }),
    ...(market.value?.[0] && { market: market.value[0] }),
    ...(openDay !== undefined && { openDay }),
    faults: faultsOf(from, to, days, market, open),
  };
}

const toDay = (time: string | undefined): string | undefined => time && marketDayOf(time);

function toRange(
  from: string | undefined,
  to: string | undefined,
  days: number,
  today: string,
): Pick<MoneyFilters, 'from' | 'to' | 'days'> {
  if (from !== undefined || to !== undefined) {
    const first = from ?? today;
    return { from: first, to: to ?? addDays(first, DEFAULT_DAYS - 1) };
  }
  return days > 0
    ? { from: today, to: addDays(today, days - 1), days }
    : { from: addDays(today, days), to: addDays(today, -1), days };
}
