import { toPrintable } from '@ssb/net';
import { renderTable } from '@ssb/platform';

const MAX_CELL_LENGTH = 200;
/** Digits of an id that listings show. A command takes them too. */
const SHORT_ID_LENGTH = 8;

/** A table of values that others wrote. */
export function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return renderTable(
    head,
    rows.map((row) => row.map(toCell)),
  );
}

export function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return toPrintable(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), MAX_CELL_LENGTH);
}

export const shortId = (id: string): string => id.slice(0, SHORT_ID_LENGTH);
