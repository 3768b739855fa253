import { escapeLine, toPrintable } from '@ssb/net/printable';
import { StyledText, type Style } from './styled-text.js';

export interface Column<Row> {
  readonly head: string;
  /** Undefined for an empty cell. */
  readonly cell: (row: Row) => string | undefined;
  readonly style?: (row: Row) => Style | undefined;
  /** Columns with the highest rank are left out first when the table is too wide. Default 0: never left out. */
  readonly rank?: number;
  /** Figures are on the right, and never cut. */
  readonly align?: 'right';
  /** Never cut, such as a time, or an id that people compare. */
  readonly whole?: true;
}

const GAP = '  ';
/** A column is not made narrower than this. */
const MIN_WIDTH = 8;
/** Columns are left out before a text is cut below this. */
const READABLE_WIDTH = 20;
const MAX_CELL_LENGTH = 200;

/**
 * A table that fits a width: columns without any value are left out, then columns of a high rank, which a last line says,
 * then the widest texts are cut.
 * @param width undefined for any width
 */
export function renderFittedTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width?: number,
): StyledText {
  const filled = columns.filter(({ cell }) => rows.some((row) => (cell(row) ?? '') !== ''));
  return layOut(rows.length === 0 ? columns : filled, rows, {
    width,
    cell: (text) => toPrintable(text, MAX_CELL_LENGTH),
  });
}

/** A table of any width, with whole cells. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = head.map((title, at): Column<readonly string[]> => ({
    head: title,
    cell: (row) => row[at],
  }));
  return layOut(columns, rows, { width: undefined, cell: escapeLine }).plain;
}

interface Layout {
  readonly width: number | undefined;
  /** What is shown of a cell. */
  readonly cell: (text: string) => string;
}

function layOut<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { width, cell }: Layout,
): StyledText {
  const cells = new Map(columns.map((column) => [column, rows.map((row) => cell(column.cell(row) ?? ''))]));
  const natural = (column: Column<Row>): number =>
    (cells.get(column) ?? []).reduce((widest, cell) => Math.max(widest, cell.length), column.head.length);
  const shown = chooseColumns(columns, natural, width);
  const widths = shrink(shown, shown.map(natural), width);
  const line = (texts: readonly StyledText[]): StyledText =>
    StyledText.join(
      texts.map((text, at) => {
        const width = widths[at] ?? 0;
        return shown[at]?.align === 'right' ? text.pad(width, 'left') : text.pad(width);
      }),
      GAP,
    ).trimEnd();
  const body = rows.map((row, index) =>
    line(
      shown.map((column, at) => {
        const text = cut(cells.get(column)?.[index] ?? '', widths[at] ?? 0);
        return StyledText.of(text, text === '' ? undefined : column.style?.(row));
      }),
    ),
  );
  const left = columns.filter((column) => !shown.includes(column));
  return StyledText.join(
    [
      line(shown.map(({ head }, at) => StyledText.of(cut(head, widths[at] ?? 0), 'heading'))),
      line(widths.map((each) => StyledText.of('─'.repeat(each), 'dim'))),
      ...body,
      ...(left.length === 0
        ? []
        : [
            StyledText.of(
              `Left out at this width: ${left.map(({ head }) => head).join(', ')}. --json has all.`,
              'dim',
            ),
          ]),
    ],
    '\n',
  );
}

/** One row of a table whose further rows are not known yet. A wider cell moves the cells after it. */
export const renderRow = (cells: readonly string[], widths: readonly number[]): string =>
  StyledText.join(
    cells.map((cell, column) => StyledText.of(cell).pad(widths[column] ?? 0)),
    GAP,
  ).trimEnd().plain;

function chooseColumns<Row>(
  columns: readonly Column<Row>[],
  natural: (column: Column<Row>) => number,
  width: number | undefined,
): readonly Column<Row>[] {
  const needed = (column: Column<Row>): number =>
    isWhole(column) ? natural(column) : Math.min(natural(column), READABLE_WIDTH);
  let shown = columns;
  while (width !== undefined && total(shown.map(needed)) > width) {
    const rank = Math.max(...shown.map((column) => column.rank ?? 0));
    const last = shown.findLast((column) => (column.rank ?? 0) === rank);
    if (rank === 0 || last === undefined) return shown;
    shown = shown.filter((column) => column !== last);
  }
  return shown;
}

/** Makes the widest columns of texts narrower until all fit. The terminal wraps lines that are still too long. */
function shrink<Row>(
  columns: readonly Column<Row>[],
  natural: readonly number[],
  width: number | undefined,
): readonly number[] {
  const widths = [...natural];
  while (width !== undefined && total(widths) > width) {
    const texts = widths.map((each, at) => (isWhole(columns[at]) ? 0 : each));
    const widest = texts.indexOf(Math.max(...texts));
    if ((texts[widest] ?? 0) <= MIN_WIDTH) return widths;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

const isWhole = (column: Pick<Column<never>, 'align' | 'whole'> | undefined): boolean =>
  column?.align === 'right' || column?.whole === true;

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, each) => sum + each, 0) + GAP.length * Math.max(0, widths.length - 1);

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${escapeLine(text.slice(0, Math.max(0, width - 1)))}…`;
