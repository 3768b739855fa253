import type { InvoiceRow, StatementVersion } from '../../api/operations.js';
import { toMarketDay } from '../../format/market-time.js';
import { subtractAmounts } from '../../format/subtract.js';

type Version = Pick<StatementVersion, 'publishedAt' | 'payment' | 'charge'>;
type Invoice = Pick<InvoiceRow, 'status' | 'invoiceDate' | 'replacedBy'>;

export interface NotInvoiced {
  readonly invoiceDate: string;
  /** By how much the net of the statement has changed since, without GST. */
  readonly net: string;
}

/**
 * What a revision has changed after the invoice. Undefined without an invoice, or when it is not older than the newest version.
 * @param versions the newest first
 */
export function findNotInvoiced(
  versions: readonly Version[],
  invoices: readonly Invoice[],
): NotInvoiced | undefined {
  const [newest] = versions;
  const invoiceDate = invoices
    .filter(({ status, replacedBy }) => status !== 'reversed' && replacedBy === undefined)
    .flatMap((invoice) => invoice.invoiceDate ?? [])
    .toSorted()
    .at(-1);
  if (newest === undefined || invoiceDate === undefined) return undefined;
  const invoiced = versions.find(({ publishedAt }) => toMarketDay(Date.parse(publishedAt)) <= invoiceDate);
  if (invoiced === undefined || invoiced === newest) return undefined;
  return { invoiceDate, net: subtractAmounts(netOf(newest), netOf(invoiced)) };
}

export const netOf = ({ payment, charge }: Pick<Version, 'payment' | 'charge'>): string =>
  subtractAmounts(payment, charge);
