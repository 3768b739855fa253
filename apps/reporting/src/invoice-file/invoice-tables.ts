import type { Decimal } from '@ssb/market';
import type { Node } from 'pdfmake';
import { formatAmount } from './invoice-text.js';

export const INK = '#1b2733';
export const MUTED = '#5d6b7a';
export const ACCENT = '#0b4f6c';
export const TINT = '#eef3f6';
const HAIRLINE = '#d5dde3';

export type Row = Node[];

/** Column titles and widths of a table. The columns after the text columns hold amounts. */
export interface Columns {
  readonly titles: readonly string[];
  readonly widths: string[];
  readonly textColumns: number;
}

/** A label before an amount in the last column. */
export function sumRow(label: string, amount: Decimal, style: Node = {}): Row {
  return [
    { text: label, colSpan: 3, alignment: 'right', ...style },
    {},
    {},
    { ...amountCell(amount), ...style },
  ];
}

/** A title for the rows below it. */
export function groupRow(label: string): Row {
  return [
    { text: label, colSpan: 4, bold: true, fontSize: 8.5, color: ACCENT, margin: [0, 3, 0, 0] },
    {},
    {},
    {},
  ];
}

/** The font shrinks for an amount that does not fit into its column. */
export function amountCell(amount: Decimal): Node {
  const text = formatAmount(amount);
  return { text, alignment: 'right', noWrap: true, fontSize: Math.min(9, 180 / text.length) };
}

/** A table whose heading and column titles repeat on each page. */
export function section(
  title: string,
  { titles, widths, textColumns }: Columns,
  rows: readonly Row[],
): Node[] {
  if (rows.length === 0) return [heading(title)];
  const columnTitles = titles.map((text, index): Node => ({
    text,
    fontSize: 8,
    bold: true,
    color: MUTED,
    fillColor: TINT,
    alignment: index < textColumns ? 'left' : 'right',
  }));
  const body = [[{ ...heading(title), colSpan: titles.length }, {}, {}, {}], columnTitles, ...rows];
  return [
    {
      table: { widths, body, headerRows: 2, keepWithHeaderRows: 1, dontBreakRows: true },
      layout: {
        hLineWidth: (line) => (line < 2 ? 0 : 0.5),
        vLineWidth: () => 0,
        hLineColor: () => HAIRLINE,
        paddingLeft: () => 6,
        paddingRight: () => 6,
        paddingTop: () => 3.5,
        paddingBottom: () => 3.5,
      },
      margin: [0, 0, 0, 10],
    },
  ];
}

export function heading(text: string): Node {
  return { text, fontSize: 12, bold: true, color: ACCENT, margin: [0, 6, 0, 3] };
}
