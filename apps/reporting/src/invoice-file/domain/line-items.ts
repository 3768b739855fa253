import type { LineItem, PaymentSummary, TaxInvoice } from '@ssb/market';
import { writeAmount } from './amount.js';
import type { Column, Row, Section, SumRow, Table } from './page.js';
import { printable, printableLines } from './printable.js';

const LINE_COLUMNS: readonly Column[] = [
  { title: 'Code', share: 0.25, holds: 'text' },
  { title: 'Description', share: 0.41, holds: 'text' },
  { title: 'GST', share: 0.08, holds: 'text' },
  { title: 'Amount ($)', share: 0.26, holds: 'amount' },
];

/** What is to be settled: the billing lines, their total, the prepayments held and the payable amount. */
export function paymentSummarySection(summary: PaymentSummary): Section {
  const rows: Row[] = (summary.lineItems ?? []).map(rowOfLine);
  rows.push(sumRow('strong', 'Total', writeAmount(summary.total)));
  if (summary.prepaymentBalance !== undefined) {
    const { balance, asAt } = summary.prepaymentBalance;
    rows.push(sumRow('plain', `Prepayment balance as at ${asAt.replace('T', ' ')}`, writeAmount(balance)));
  }
  rows.push(sumRow('total', 'Amount payable', writeAmount(summary.payableAmount)));
  return { heading: 'Payment summary', blocks: [linesTable(rows)] };
}

/** Additional information; no section when there is none. */
export function messagesSection(summary: PaymentSummary): Section[] {
  const lines = (summary.messages ?? []).flatMap(printableLines);
  return lines.length === 0 ? [] : [{ heading: 'Messages', blocks: [{ kind: 'notes', lines }] }];
}

/** One tax invoice: lines with GST, lines without, and the totals. The lines are ex-GST (document 000, TaxInvoice). */
export function taxInvoiceSection(title: string, invoice: TaxInvoice): Section {
  const { gstApplicable, gstFree, total } = invoice;
  const rows = [...groupOfLines('GST applicable', gstApplicable), ...groupOfLines('GST free', gstFree)];
  if (total !== undefined)
    rows.push(
      sumRow('strong', 'Total excluding GST', writeAmount(total.gstExclusive)),
      sumRow('plain', 'GST', writeAmount(total.gst)),
      sumRow('total', 'Total including GST', writeAmount(total.gstInclusive)),
    );
  return {
    heading: `${title} ${printable(invoice.id)}`.trim(),
    blocks: rows.length === 0 ? [] : [linesTable(rows)],
  };
}

function linesTable(rows: readonly Row[]): Table {
  return { kind: 'table', columns: LINE_COLUMNS, rows };
}

function groupOfLines(title: string, lines: readonly LineItem[] | null | undefined): Row[] {
  if (lines === null || lines === undefined || lines.length === 0) return [];
  return [{ kind: 'group', label: `${title} (amounts excluding GST)` }, ...lines.map(rowOfLine)];
}

function rowOfLine({ code, description, gstApplicable, amount }: LineItem): Row {
  const gst = gstApplicable === true ? 'Yes' : gstApplicable === false ? 'No' : '';
  const cells = [printable(code ?? ''), printable(description ?? ''), gst, writeAmount(amount)];
  return { kind: 'line', cells };
}

function sumRow(weight: SumRow['weight'], label: string, amount: string): SumRow {
  return { kind: 'sum', weight, label, amount };
}
