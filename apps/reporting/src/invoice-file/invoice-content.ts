import type {
  AdjustmentLine,
  Decimal,
  LineItem,
  PaymentSummary,
  SettlementInvoice,
  TaxInvoice,
  TaxInvoiceAdjustment,
} from '@ssb/market';
import type { Node } from 'pdfmake';
import { formatAmount, toPrintable, toPrintableLines } from './invoice-text.js';

type Row = Node[];

/** All parts of the invoice as pdfmake nodes. Absent parts are omitted. */
export function invoiceContent(invoice: SettlementInvoice): Node[] {
  const { paymentSummary, recipientCreatedTaxInvoice, taxInvoice } = invoice;
  return [
    { text: invoiceTitle(invoice), fontSize: 20, bold: true },
    { text: invoiceSubtitle(invoice), margin: [0, 0, 0, 12] },
    { table: { widths: ['25%', '*'], body: factRows(invoice) }, layout: 'noBorders' },
    ...(paymentSummary === undefined ? [] : paymentSections(paymentSummary)),
    ...taxInvoiceSection('Recipient created tax invoice', recipientCreatedTaxInvoice),
    ...taxInvoiceSection('Tax invoice', taxInvoice),
    ...adjustmentSection(invoice),
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
  const who = [`Invoice ${toPrintable(id)}`, ...(party === undefined ? [] : [toPrintable(party.id)])];
  return {
    columns: [{ text: who.join(' · ') }, { text: `Page ${page} of ${pages}`, width: 80, alignment: 'right' }],
    fontSize: 8,
    margin: [48, 22, 48, 0],
  };
}

/** The sign of the payable amount shows who pays. */
function factRows(invoice: SettlementInvoice): Row[] {
  const { party, adjustment, paymentSummary } = invoice;
  const facts: [string, string | null | undefined][] = [
    ['Invoice to', party?.name],
    ['', party?.addressLine1],
    ['', party?.addressLine2],
    ['', party?.abn && `ABN ${party.abn}`],
    ['', party && `Participant ${party.id}`],
    ['Invoice', invoice.id],
    ['Invoice date', invoice.invoiceDate],
    ['Due date', invoice.dueDate],
    ['Market', invoice.market],
    ['Trading week', invoice.tradeWeek],
    ['Trading month', invoice.tradeMonth],
    ['Version', typeof adjustment === 'number' ? versionText(adjustment) : undefined],
    ['Reversal', invoice.reversedId],
    ['Amount payable ($)', paymentSummary && formatAmount(paymentSummary.payableAmount)],
    ['Settlement required', paymentSummary && (paymentSummary.settlementRequired ? 'Yes' : 'No')],
  ];
  return facts
    .map(([label, value]): Row => [{ text: label }, { text: toPrintable(value ?? ''), bold: true }])
    .filter(([, value]) => value?.text !== '');
}

function versionText(adjustment: number): string {
  return adjustment === 0 ? 'Initial' : `Adjustment ${adjustment}`;
}

/** The billing lines, their total, the prepayment balance, the payable amount and the messages. */
function paymentSections(summary: PaymentSummary): Node[] {
  const { lineItems, total, prepaymentBalance, payableAmount, messages } = summary;
  const rows = [...(lineItems ?? []).map(lineRow), sumRow('Total', total)];
  if (prepaymentBalance !== undefined) {
    const asAt = prepaymentBalance.asAt.replace('T', ' ');
    rows.push(sumRow(`Prepayment balance as at ${asAt}`, prepaymentBalance.balance));
  }
  rows.push(sumRow('Amount payable', payableAmount));
  const notes = (messages ?? []).flatMap(toPrintableLines);
  return [
    ...lineSection('Payment summary', rows),
    ...(notes.length === 0 ? [] : [heading('Messages'), ...notes.map((text) => ({ text }))]),
  ];
}

/** One tax invoice: lines with GST, lines without it, and totals. Lines exclude GST (document 000, TaxInvoice). */
function taxInvoiceSection(title: string, invoice: TaxInvoice | undefined): Node[] {
  if (invoice === undefined) return [];
  const { id, gstApplicable, gstFree, total } = invoice;
  const rows = [...lineGroup('GST applicable', gstApplicable), ...lineGroup('GST free', gstFree)];
  if (total !== undefined)
    rows.push(
      sumRow('Total excluding GST', total.gstExclusive),
      sumRow('GST', total.gst),
      sumRow('Total including GST', total.gstInclusive),
    );
  return lineSection(`${title} ${toPrintable(id)}`.trim(), rows);
}

/** The changes since the previous invoice. */
function adjustmentSection({ adjustmentSummary: summary }: SettlementInvoice): Node[] {
  const rows = [
    ...adjustmentGroup('Recipient created tax invoice', summary?.recipientCreatedTaxInvoiceAdjustment),
    ...adjustmentGroup('Tax invoice', summary?.taxInvoiceAdjustment),
  ];
  const titles = ['', 'Previous ($)', 'Current ($)', 'Adjustment ($)'];
  return rows.length === 0 ? [] : section('Adjustment summary', titles, ['28%', '24%', '24%', '24%'], rows);
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
  const texts = [code ?? '', description ?? '', gst].map((text): Node => ({ text: toPrintable(text) }));
  return [...texts, amountCell(amount)];
}

function lineSection(title: string, rows: Row[]): Node[] {
  const titles = ['Code', 'Description', 'GST', 'Amount ($)'];
  return section(title, titles, ['25%', '41%', '8%', '26%'], rows);
}

/** A table of four columns whose heading and column titles repeat on each page. */
function section(title: string, titles: readonly string[], widths: string[], rows: Row[]): Node[] {
  if (rows.length === 0) return [heading(title)];
  const columnTitles = titles.map((text): Node => ({
    text,
    bold: true,
    alignment: text.endsWith('($)') ? 'right' : 'left',
  }));
  const body = [[{ ...heading(title), colSpan: 4 }, {}, {}, {}], columnTitles, ...rows];
  const table = { widths, body, headerRows: 2, keepWithHeaderRows: 1, dontBreakRows: true };
  return [{ table, layout: 'lightHorizontalLines', margin: [0, 6, 0, 6] }];
}

function heading(text: string): Node {
  return { text, fontSize: 12, bold: true, margin: [0, 6, 0, 3] };
}

/** A title for the rows below it. */
function groupRow(text: string): Row {
  return [{ text, colSpan: 4, bold: true }, {}, {}, {}];
}

/** A label before an amount in the last column. */
function sumRow(label: string, amount: Decimal): Row {
  const bold = true;
  return [{ text: label, colSpan: 3, alignment: 'right', bold }, {}, {}, { ...amountCell(amount), bold }];
}

/** The font shrinks for an amount that does not fit into its column. */
function amountCell(amount: Decimal): Node {
  const text = formatAmount(amount);
  return { text, alignment: 'right', noWrap: true, fontSize: Math.min(9, 180 / text.length) };
}
