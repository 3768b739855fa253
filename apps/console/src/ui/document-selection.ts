import type { QueryOf } from '../api/api-client.js';
import { CHOICES, type DocumentRow, type InvoiceRow } from '../api/operations.js';
import { beginningOfDay } from '../format/market-time.js';

export type InvoiceKey = Pick<InvoiceRow, 'number' | 'participant' | 'market' | 'periodFrom' | 'designation'>;

/** Codes that the API accepts in one request. */
const MAX_PARTICIPANTS = 50;

/** One query for the documents of all these invoices; undefined when none has a number. */
export function toDocumentQuery(invoices: readonly InvoiceKey[]): QueryOf<'/v1/documents'> | undefined {
  const numbered = invoices.filter(({ number }) => number !== undefined);
  const [number, ...others] = new Set(numbered.flatMap((invoice) => invoice.number ?? []));
  if (number === undefined) return undefined;
  const participant = [...new Set(numbered.map((invoice) => invoice.participant))].toSorted();
  const markets = new Set(numbered.map(({ market }) => market));
  // A document is stored after its period has begun.
  const [first = ''] = numbered.map(({ periodFrom }) => periodFrom).toSorted();
  return {
    ...(participant.length <= MAX_PARTICIPANTS && { participant }),
    market: CHOICES['/v1/documents'].market.filter((each) => markets.has(each)),
    ...(others.length === 0 ? { invoice: number } : { since: beginningOfDay(first) }),
  };
}

/** The documents of an invoice. Another participant or run can have the same number. */
export function selectDocuments(documents: readonly DocumentRow[], invoice: InvoiceKey): DocumentRow[] {
  return documents.filter(
    (each) =>
      each.invoice === invoice.number &&
      each.participant === invoice.participant &&
      each.market === invoice.market &&
      each.periodFrom === invoice.periodFrom &&
      each.designation === invoice.designation,
  );
}
