import type {
  AdjustmentLine,
  AdjustmentSummary,
  LineItem,
  Party,
  PaymentSummary,
  SettlementInvoice,
  TaxInvoice,
  TaxInvoiceAdjustment,
} from '@ssb/market';
import type { Node } from 'pdfmake';
import {
  ACCENT,
  amountCell,
  groupRow,
  heading,
  MUTED,
  section,
  sumRow,
  TINT,
  type Columns,
  type Row,
} from './invoice-tables.js';
import { formatAmount, toPrintable, toPrintableLines } from './invoice-text.js';

const LINE_COLUMNS: Columns = {
  titles: ['Code', 'Description', 'GST', 'Amount ($)'],
  widths: ['25%', '41%', '8%', '26%'],
  textColumns: 3,
};
const ADJUSTMENT_COLUMNS: Columns = {
  titles: ['', 'Previous ($)', 'Current ($)', 'Adjustment ($)'],
  widths: ['28%', '24%', '24%', '24%'],
  textColumns: 1,
};

/** All parts of the invoice as pdfmake nodes. Absent parts are omitted. */
export function invoiceContent(invoice: SettlementInvoice): Node[] {
  const { paymentSummary, recipientCreatedTaxInvoice, taxInvoice, adjustmentSummary } = invoice;
  return [
    { text: invoiceTitle(invoice), fontSize: 20, bold: true, color: ACCENT },
    { text: invoiceSubtitle(invoice), fontSize: 10, color: MUTED, margin: [0, 0, 0, 16] },
    { columns: [partyBlock(invoice.party), factsBlock(invoice)], margin: [0, 0, 0, 12] },
    ...payableBlock(invoice),
    ...(paymentSummary === undefined ? [] : paymentSections(paymentSummary)),
    ...taxInvoiceSection('Recipient created tax invoice', recipientCreatedTaxInvoice),
    ...taxInvoiceSection('Tax invoice', taxInvoice),
    ...adjustmentSection(adjustmentSummary),
  ];
}

export function invoiceTitle({ title, market }: SettlementInvoice): string {
  return toPrintable(title ?? '') || `${market} settlement invoice`;
}

export function invoiceSubtitle({ id, market, tradeWeek, tradeMonth }: SettlementInvoice): string {
  const period = toPrintable(tradeWeek ?? tradeMonth ?? '');
  return [`Invoice ${toPrintable(id)}`, market, period].filter((part) => part !== '').join(' · ');
}

export function invoiceFooter({ id, party }: SettlementInvoice, page: number, pages: number): Node {
  const who = [`Invoice ${toPrintable(id)}`, ...(party === undefined ? [] : [toPrintable(party.id)])].join(
    ' · ',
  );
  return {
    columns: [{ text: who }, { text: `Page ${page} of ${pages}`, width: 80, alignment: 'right' }],
    fontSize: 7.5,
    color: MUTED,
    margin: [48, 22, 48, 0],
  };
}

function partyBlock(party: Party | undefined): Node {
  if (party === undefined) return { text: '', width: '56%' };
  const { id, name, addressLine1, addressLine2, abn } = party;
  const lines = [addressLine1, addressLine2, abn && `ABN ${abn}`, `Participant ${id}`]
    .map((line) => toPrintable(line ?? ''))
    .filter((line) => line !== '');
  const label: Node = { text: 'Invoice to', fontSize: 8, color: MUTED };
  const stack = [label, { text: toPrintable(name), bold: true }, ...lines.map((text) => ({ text }))];
  return { stack, width: '56%', margin: [0, 0, 20, 0] };
}

function factsBlock(invoice: SettlementInvoice): Node {
  const { adjustment } = invoice;
  const version = adjustment === 0 ? 'Initial' : `Adjustment ${adjustment}`;
  const facts: [string, string | null | undefined][] = [
    ['Invoice', invoice.id],
    ['Invoice date', invoice.invoiceDate],
    ['Due date', invoice.dueDate],
    ['Market', invoice.market],
    ['Trading week', invoice.tradeWeek],
    ['Trading month', invoice.tradeMonth],
    ['Version', adjustment === null || adjustment === undefined ? undefined : version],
    ['Reversal', invoice.reversedId],
  ];
  const body = facts
    .map(([label, value]): Row => [
      { text: label, fontSize: 8, color: MUTED },
      { text: toPrintable(value ?? '') },
    ])
    .filter(([, value]) => value?.text !== '');
  return { table: { widths: [80, '*'], body }, layout: 'noBorders' };
}

/** The sign of the amount shows who pays. */
function payableBlock({ paymentSummary, dueDate }: SettlementInvoice): Node[] {
  if (paymentSummary === undefined) return [];
  const { payableAmount, settlementRequired } = paymentSummary;
  const labels = ['Amount payable ($)', 'Due date', 'Settlement required'];
  const values = [formatAmount(payableAmount), dueDate, settlementRequired ? 'Yes' : 'No'];
  const body = [
    labels.map((text): Node => ({ text, fontSize: 8, color: MUTED, fillColor: TINT, margin: [8, 6, 0, 0] })),
    values.map((text): Node => ({ text, fontSize: 14, bold: true, fillColor: TINT, margin: [8, 0, 0, 4] })),
  ];
  return [{ table: { widths: ['50%', '25%', '25%'], body }, layout: 'noBorders', margin: [0, 0, 0, 10] }];
}

/** The billing lines, their total, the prepayment balance, the payable amount and the messages. */
function paymentSections({
  lineItems,
  total,
  prepaymentBalance,
  payableAmount,
  messages,
}: PaymentSummary): Node[] {
  const rows = [...(lineItems ?? []).map(lineRow), sumRow('Total', total, { bold: true })];
  if (prepaymentBalance !== undefined) {
    const asAt = prepaymentBalance.asAt.replace('T', ' ');
    rows.push(sumRow(`Prepayment balance as at ${asAt}`, prepaymentBalance.balance));
  }
  rows.push(sumRow('Amount payable', payableAmount, { bold: true, fillColor: TINT }));
  const notes = (messages ?? []).flatMap(toPrintableLines);
  return [
    ...section('Payment summary', LINE_COLUMNS, rows),
    ...(notes.length === 0
      ? []
      : [heading('Messages'), ...notes.map((text) => ({ text, margin: [0, 0, 0, 3] }))]),
  ];
}

/** One tax invoice: lines with GST, lines without it, and totals. Lines exclude GST (document 000, TaxInvoice). */
function taxInvoiceSection(title: string, invoice: TaxInvoice | undefined): Node[] {
  if (invoice === undefined) return [];
  const { id, gstApplicable, gstFree, total } = invoice;
  const rows = [...lineGroup('GST applicable', gstApplicable), ...lineGroup('GST free', gstFree)];
  if (total !== undefined)
    rows.push(
      sumRow('Total excluding GST', total.gstExclusive, { bold: true }),
      sumRow('GST', total.gst),
      sumRow('Total including GST', total.gstInclusive, { bold: true, fillColor: TINT }),
    );
  return section(`${title} ${toPrintable(id)}`.trim(), LINE_COLUMNS, rows);
}

/** The changes since the previous invoice. */
function adjustmentSection(summary: AdjustmentSummary | undefined): Node[] {
  const rows = [
    ...adjustmentGroup('Recipient created tax invoice', summary?.recipientCreatedTaxInvoiceAdjustment),
    ...adjustmentGroup('Tax invoice', summary?.taxInvoiceAdjustment),
  ];
  return rows.length === 0 ? [] : section('Adjustment summary', ADJUSTMENT_COLUMNS, rows);
}

function adjustmentGroup(title: string, adjustment: TaxInvoiceAdjustment | undefined): Row[] {
  const { gstExclusive, gst, gstInclusive } = adjustment?.gstApplicable ?? {};
  const rows = [
    ...adjustmentRow('GST applicable, excluding GST', gstExclusive),
    ...adjustmentRow('GST', gst),
    ...adjustmentRow('GST applicable, including GST', gstInclusive),
    ...adjustmentRow('GST free', adjustment?.gstFree),
  ];
  return rows.length === 0 ? [] : [groupRow(title), ...rows];
}

function adjustmentRow(label: string, line: AdjustmentLine | undefined): Row[] {
  if (line === undefined) return [];
  return [
    [{ text: label }, amountCell(line.previous), amountCell(line.current), amountCell(line.adjustment)],
  ];
}

function lineGroup(title: string, lines: readonly LineItem[] | null | undefined): Row[] {
  if (lines === null || lines === undefined || lines.length === 0) return [];
  return [groupRow(`${title} (amounts excluding GST)`), ...lines.map(lineRow)];
}

function lineRow({ code, description, gstApplicable, amount }: LineItem): Row {
  const gst = gstApplicable === true ? 'Yes' : gstApplicable === false ? 'No' : '';
  return [
    { text: toPrintable(code ?? '') },
    { text: toPrintable(description ?? '') },
    { text: gst },
    amountCell(amount),
  ];
}
