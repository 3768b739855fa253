import type { SqlSession } from '@ssb/database';
import { fromText, type OnceRow } from './once-table.js';
import type { OnceLine, RenderInvoiceFile } from './rows-of.js';
import { INVOICE } from './tables.js';
import type { Turns } from './turns.js';

/**
 * The rows with their invoices rendered (operation 8), so that reading a file later costs no more than reading its bytes. What is there
 * already is not rendered again.
 */
export async function withInvoiceFiles(
  session: SqlSession,
  rows: readonly OnceRow[],
  lines: readonly OnceLine[],
  render: RenderInvoiceFile,
  turns: Turns,
): Promise<OnceRow[]> {
  const there = await alreadyThere(
    session,
    rows.filter(({ table }) => table === INVOICE),
  );
  const complete: OnceRow[] = [];
  for (const [index, row] of rows.entries()) {
    const line = lines[index];
    if (line?.kind !== 'invoices' || there.has(row)) complete.push(row);
    else {
      const file = Buffer.from(await render(line.record.invoice)).toString('base64');
      complete.push({ ...row, rest: { ...row.rest, file } });
      await turns.between();
    }
  }
  return complete;
}

async function alreadyThere(session: SqlSession, rows: readonly OnceRow[]): Promise<Set<OnceRow>> {
  if (rows.length === 0) return new Set();
  const columns = Object.keys(INVOICE.key);
  const same = Object.entries(INVOICE.key)
    .map(([column, type]) => `there.${column} = ${fromText(type, `given.${column}`)}`)
    .join(' AND ');
  const found = await session.query<{ place: number }>(
    `SELECT given.place::integer AS place
     FROM unnest(${columns.map((_, index) => `$${index + 1}::text[]`).join(', ')}) WITH ORDINALITY AS given (${columns.join(', ')}, place)
     JOIN invoice AS there ON ${same}`,
    columns.map((column) => rows.map(({ key }) => String(key[column]))),
  );
  return new Set(found.flatMap(({ place }) => rows[place - 1] ?? []));
}
