import type { EventType, InvoiceDiscrepancy, StatementChanges, TimelineChange } from '@ssb/events';
import type { Figure } from '../formats.js';
import { formatAmount, formatDate, formatText } from '../formats.js';

/** The parts of the data that have lists. */
interface ListData {
  readonly discrepancies?: readonly InvoiceDiscrepancy[];
  readonly changes?: readonly TimelineChange[] | StatementChanges;
  /** Of all entries. The event has the first ones. */
  readonly count?: number;
}

/** Entries of a list in a message. */
const MAX_ENTRIES = 10;

const CHANGES = { one: 'Change', more: 'Further changes' };

/** The first entries of the list in an event, and how many more there are. */
export function listedFigures(type: EventType, data: unknown): Figure[] {
  const { discrepancies = [], changes, count = 0 } = (data ?? {}) as ListData;
  switch (type) {
    case 'settlementbus.invoice.discrepancy.v1':
      return listEntries(discrepancies.map(describeDiscrepancy), count, {
        one: 'Discrepancy',
        more: 'Further discrepancies',
      });
    case 'settlementbus.timeline.changed.v1':
      return listEntries(((changes ?? []) as readonly TimelineChange[]).map(describeChange), count, CHANGES);
    case 'settlementbus.statement.revised.v1': {
      const { items = [], count: all = 0 } = (changes ?? {}) as Partial<StatementChanges>;
      return listEntries(items.map(describeVariable), all, CHANGES);
    }
    default:
      return [];
  }
}

function listEntries(
  entries: readonly string[],
  count: number,
  { one, more }: { readonly one: string; readonly more: string },
): Figure[] {
  const shown = entries.slice(0, MAX_ENTRIES).map((value, at) => ({ label: `${one} ${at + 1}`, value }));
  const left = count - shown.length;
  return left > 0 ? [...shown, { label: more, value: String(left) }] : shown;
}

/** `paymentSummary.total: -19,622.17 AUD, expected -19,622.71 AUD`. */
function describeDiscrepancy({ path, stated, expected }: InvoiceDiscrepancy): string {
  return formatText(`${path}: ${formatAmount(stated)}, expected ${formatAmount(expected)}`);
}

const DATES: Readonly<Record<NonNullable<TimelineChange['date']>, string>> = {
  periodTo: 'last trading day',
  commencementDate: 'commencement date',
  statementDate: 'statement date',
  invoiceDate: 'invoice date',
  settlementDate: 'settlement date',
};

/** `2026-03-02 Market fees, charge: 412.06 AUD → none, difference -412.06 AUD`. */
function describeVariable({
  tradingDay,
  variable,
  pOrC,
  before,
  after,
  difference,
}: StatementChanges['items'][number]): string {
  const side = ({ P: 'payment', C: 'charge' } as Readonly<Record<string, string>>)[pOrC] ?? pOrC;
  const [was, is] = [before, after].map((amount) => (amount === undefined ? 'none' : formatAmount(amount)));
  return formatText(
    `${formatDate(tradingDay)} ${variable}, ${side}: ${was} → ${is}, difference ${formatAmount(difference)}`,
  );
}

/** `WEM INITIAL TW 01 Mar 2026, statement date: 2026-03-19 → 2026-03-20`. */
function describeChange({
  marketService,
  designation,
  period,
  kind,
  date,
  from,
  to,
}: TimelineChange): string {
  const run = `${marketService} ${designation} ${period}`;
  if (kind !== 'moved' || date === undefined) return formatText(`${run}: ${kind}`);
  const [before, now] = [from, to].map((day) => (day === undefined ? 'none' : formatDate(day)));
  return formatText(`${run}, ${DATES[date]}: ${before} → ${now}`);
}
