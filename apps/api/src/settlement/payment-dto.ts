import { Decimal, Integer, MarketDate, Part, Parts, Text } from '../http/fields.js';
import { IsMarketDate } from '../http/market-fields.js';
import type { Page } from '../http/page.js';
import { SettlementQuery } from './settlement-dto.js';

/** Which payments are listed. */
export class PaymentsQuery extends SettlementQuery {
  @IsMarketDate('Payments that are due on this day or later; by default today.')
  readonly dueSince?: string;

  @IsMarketDate('Payments that are due before this day; by default all later ones.')
  readonly dueUntil?: string;
}

/** Sums over invoices. */
export class PaymentTotals {
  @Text({ description: 'Currency of the amounts.', values: ['AUD'] }) readonly currency!: string;
  @Decimal({ description: 'Sum of what the participants pay.' }) readonly payable!: string;
  @Decimal({ description: 'Sum of what the participants receive.' }) readonly receivable!: string;
  @Decimal({ description: '`receivable` minus `payable`: negative when the participants pay.' })
  readonly net!: string;
  @Integer({ description: 'Invoices in the sums.' }) readonly invoices!: number;
  @Integer({
    description: 'Invoices that are not in the sums, because their amount or direction is unknown.',
  })
  readonly withoutDirection!: number;
}

/** What is due on a day in one market. */
export class MarketPayments extends PaymentTotals {
  @Text({ description: 'Market service.' }) readonly market!: string;
}

/** What is due on a day. */
export class PaymentDay extends PaymentTotals {
  @MarketDate({ description: 'Day by which it must be settled; market date (UTC+8).' })
  readonly dueDate!: string;
  @Parts({ description: 'The same by market.', of: () => MarketPayments })
  readonly markets!: readonly MarketPayments[];
}

/** A page of days. */
export class PaymentsPage implements Page<PaymentDay> {
  @Parts({ description: 'The days.', of: () => PaymentDay }) readonly items!: readonly PaymentDay[];
  @Text({ description: '`cursor` of the next page; absent on the last one.', optional: true })
  readonly next?: string;
  @Part({ description: 'The sums of all pages.', of: () => PaymentTotals }) readonly total!: PaymentTotals;
}

const SUMS = ['payable', 'receivable', 'net', 'invoices', 'withoutDirection'] as const;
const dayColumn = (name: string): string => `day${name.charAt(0).toUpperCase()}${name.slice(1)}`;

export const PAYMENT_COLUMNS = ['dueDate', 'market', 'currency', ...SUMS, ...SUMS.map(dayColumn)];

/** A row for each market, with the sums of its day. */
export function toPaymentRows({ dueDate, markets, ...day }: PaymentDay): readonly object[] {
  const sums = Object.fromEntries(SUMS.map((name) => [dayColumn(name), day[name]]));
  return markets.map((each) => ({ dueDate, ...each, ...sums }));
}
