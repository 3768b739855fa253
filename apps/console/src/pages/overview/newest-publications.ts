import type { CalendarRow } from '../../api/operations.js';
import { beginningOfDay } from '../../format/market-time.js';

/** A run with a statement or an invoice that is new. */
export interface Publication {
  readonly row: CalendarRow;
  readonly what: 'published' | 'revised' | 'invoiced';
  /** A time with its offset; a day of the market for an invoice. */
  readonly at: string;
}

/**
 * The newest statements and invoices first, each run once. The API sorts them by day only.
 * @param published runs whose statement is new
 * @param invoiced runs whose invoice is new
 */
export function newestPublications(
  published: readonly CalendarRow[],
  invoiced: readonly CalendarRow[],
): readonly Publication[] {
  const publications = new Map<string, Publication>();
  for (const row of invoiced)
    if (row.invoiceDate !== undefined && row.invoiceId !== undefined)
      publications.set(row.id, { row, what: 'invoiced', at: row.invoiceDate });
  for (const row of published) {
    const at = row.revisedAt ?? row.publishedAt;
    const other = publications.get(row.id);
    if (at === undefined || (other !== undefined && timeOf(other.at) > timeOf(at))) continue;
    publications.set(row.id, { row, what: row.revisedAt === undefined ? 'published' : 'revised', at });
  }
  return [...publications.values()].sort((one, other) => timeOf(other.at) - timeOf(one.at));
}

const timeOf = (at: string): number => Date.parse(at.length === 10 ? beginningOfDay(at) : at);
