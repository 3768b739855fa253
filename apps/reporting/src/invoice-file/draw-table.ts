import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Column, GroupRow, LineRow, Row, SumRow, Table } from './domain/page.js';
import type { Sheet } from './sheet.js';
import {
  ACCENT,
  BODY,
  COLUMN_TITLE,
  CONTENT_WIDTH,
  HAIRLINE,
  MARGIN,
  STRONG,
  TINT,
  type TextStyle,
  lineHeight,
} from './style.js';

const PADDING = 6;
const ABOVE = 3.5;
const RIGHT = MARGIN + CONTENT_WIDTH;
const ROW_HEIGHT = lineHeight(BODY) + 2 * ABOVE;
const GROUP: TextStyle = { ...STRONG, size: 8.5, color: ACCENT };

/** Rows after which others in the process get a turn: about ten milliseconds. */
const ROWS_IN_ONE_TURN = 200;

interface Place {
  readonly column: Column;
  readonly left: number;
  /** Of what stands in the column, its padding left out. */
  readonly width: number;
}

/** A table that flows over as many pages as it needs, its column titles at the top of each. */
export async function drawTable(sheet: Sheet, { columns, rows }: Table): Promise<void> {
  const places = placesOf(columns);
  sheet.makeRoom(ROW_HEIGHT * 3);
  sheet.tagged('P', () => drawColumnTitles(sheet, places));
  for (const [index, row] of rows.entries()) {
    drawRow(sheet, places, row);
    if (index % ROWS_IN_ONE_TURN === ROWS_IN_ONE_TURN - 1) await nextTurn();
  }
  sheet.y += 10;
}

function placesOf(columns: readonly Column[]): Place[] {
  let left = MARGIN;
  return columns.map((column) => {
    const place = { column, left: left + PADDING, width: CONTENT_WIDTH * column.share - 2 * PADDING };
    left += CONTENT_WIDTH * column.share;
    return place;
  });
}

function drawColumnTitles(sheet: Sheet, places: readonly Place[]): void {
  const y = sheet.y + 4;
  sheet.fill(MARGIN, sheet.y, CONTENT_WIDTH, ROW_HEIGHT, TINT);
  for (const { column, left, width } of places)
    if (column.holds === 'amount') sheet.writeRight(column.title, COLUMN_TITLE, left + width, y, width);
    else sheet.write(column.title, COLUMN_TITLE, left, y);
  sheet.y += ROW_HEIGHT;
}

function drawRow(sheet: Sheet, places: readonly Place[], row: Row): void {
  switch (row.kind) {
    case 'line':
      return drawLine(sheet, places, row);
    case 'group':
      return drawGroup(sheet, places, row);
    case 'sum':
      return drawSum(sheet, places, row);
    default:
      return row satisfies never;
  }
}

function drawLine(sheet: Sheet, places: readonly Place[], { cells }: LineRow): void {
  const texts = places.map(({ column, width }, index) => {
    const text = cells[index] ?? '';
    return column.holds === 'amount' ? [text] : sheet.wrap(text, BODY, width);
  });
  const height = Math.max(...texts.map((lines) => lines.length)) * lineHeight(BODY) + 2 * ABOVE;
  startRow(sheet, places, height);
  const top = sheet.y + ABOVE;
  sheet.tagged('P', () =>
    places.forEach(({ column, left, width }, index) => {
      const lines = texts[index] ?? [];
      if (column.holds === 'amount') sheet.writeRight(lines[0] ?? '', BODY, left + width, top, width);
      else sheet.writeLines(lines, BODY, left, top);
    }),
  );
  endRow(sheet, height, HAIRLINE, 0.5);
}

/** Stays with the first line below it. */
function drawGroup(sheet: Sheet, places: readonly Place[], { label }: GroupRow): void {
  const height = ROW_HEIGHT + 3;
  startRow(sheet, places, height + ROW_HEIGHT);
  sheet.tagged('P', () => sheet.write(label, GROUP, MARGIN + PADDING, sheet.y + ABOVE + 3));
  endRow(sheet, height, HAIRLINE, 0.5);
}

function drawSum(sheet: Sheet, places: readonly Place[], { weight, label, amount }: SumRow): void {
  const style = weight === 'plain' ? BODY : STRONG;
  const amounts = places.at(-1);
  if (amounts === undefined) return;
  startRow(sheet, places, ROW_HEIGHT);
  if (weight === 'total')
    sheet.decoration(() => sheet.fill(MARGIN, sheet.y, CONTENT_WIDTH, ROW_HEIGHT, TINT));
  const top = sheet.y + ABOVE;
  sheet.tagged('P', () => {
    const room = amounts.left - MARGIN - 2 * PADDING;
    sheet.writeRight(label, style, amounts.left - PADDING, top, room);
    sheet.writeRight(amount, style, amounts.left + amounts.width, top, amounts.width);
  });
  endRow(sheet, ROW_HEIGHT, weight === 'total' ? ACCENT : HAIRLINE, weight === 'total' ? 1 : 0.5);
}

/** Column titles of later pages are no new text to a reading machine. */
function startRow(sheet: Sheet, places: readonly Place[], height: number): void {
  if (sheet.makeRoom(height)) sheet.decoration(() => drawColumnTitles(sheet, places));
}

function endRow(sheet: Sheet, height: number, color: string, thickness: number): void {
  sheet.y += height;
  sheet.decoration(() => sheet.fill(MARGIN, sheet.y - thickness, RIGHT - MARGIN, thickness, color));
}
