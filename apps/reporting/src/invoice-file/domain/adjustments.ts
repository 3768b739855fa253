import type { AdjustmentLine, AdjustmentSummary, TaxInvoiceAdjustment } from '@ssb/market';
import { writeAmount } from './amount.js';
import type { Column, Row, Section } from './page.js';

const COLUMNS: readonly Column[] = [
  { title: '', share: 0.28, holds: 'text' },
  { title: 'Previous ($)', share: 0.24, holds: 'amount' },
  { title: 'Current ($)', share: 0.24, holds: 'amount' },
  { title: 'Adjustment ($)', share: 0.24, holds: 'amount' },
];

/** What changed against the invoice before; no section when nothing is told. */
export function adjustmentSection(summary: AdjustmentSummary): Section[] {
  const rows = [
    ...rowsOf('Recipient created tax invoice', summary.recipientCreatedTaxInvoiceAdjustment),
    ...rowsOf('Tax invoice', summary.taxInvoiceAdjustment),
  ];
  if (rows.length === 0) return [];
  return [{ heading: 'Adjustment summary', blocks: [{ kind: 'table', columns: COLUMNS, rows }] }];
}

function rowsOf(title: string, adjustment: TaxInvoiceAdjustment | undefined): Row[] {
  const { gstExclusive, gst, gstInclusive } = adjustment?.gstApplicable ?? {};
  const rows = [
    ...rowOf('GST applicable, excluding GST', gstExclusive),
    ...rowOf('GST', gst),
    ...rowOf('GST applicable, including GST', gstInclusive),
    ...rowOf('GST free', adjustment?.gstFree),
  ];
  return rows.length === 0 ? [] : [{ kind: 'group', label: title }, ...rows];
}

function rowOf(label: string, line: AdjustmentLine | undefined): Row[] {
  if (line === undefined) return [];
  const amounts = [line.previous, line.current, line.adjustment].map(writeAmount);
  return [{ kind: 'line', cells: [label, ...amounts] }];
}
