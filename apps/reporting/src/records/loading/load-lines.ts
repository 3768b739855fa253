import type { Database, SqlSession } from '@ssb/database';
import type { BulkLine } from '@ssb/market';
import { renderInvoiceFile } from '../../invoice-file/render-invoice-file.js';
import { insertRows, rowsThere } from './insert-rows.js';
import { MOST_ROWS, portions, Turns } from './portions.js';
import { hasChanged, replaceCycles, standingCycles } from './replace-cycles.js';
import { rowOf, type OnceLine } from './rows-of.js';
import { INVOICE, type OnceRow, type OnceTable } from './tables.js';

export interface LoadCount {
  readonly loaded: number;
  readonly alreadyThere: number;
}

/** Packing is done by other threads, of which there are four. */
const PACKED_TOGETHER = 8;

/** Loads take turns, also those of other replicas: so `sequence` grows in the order in which records become visible. */
const LOAD_LOCK = 7_305_120;

/**
 * Writes all lines in one transaction: all of them are in, or none is.
 * @param published called within the transaction, before it is committed
 * @throws RecordConflictError with the index of a line whose key is taken by another content
 */
export async function loadLines(
  database: Database,
  lines: readonly BulkLine[],
  published: (session: SqlSession) => Promise<void>,
): Promise<LoadCount> {
  const once = lines.flatMap((line, index) => (line.kind === 'timelines' ? [] : [{ line, index }]));
  const rows = await rowsOf(database, once);
  const cycles = await standingCycles(lines, new Turns());
  return database.transaction(async (session) => {
    await session.query('SELECT pg_advisory_xact_lock($1)', [LOAD_LOCK]);
    let loaded = 0;
    for (const [table, ofTable] of byTable(rows))
      for (const portion of portions(ofTable, sizeOf)) loaded += await insertRows(session, table, portion);
    const changed = await replaceCycles(session, cycles);
    for (const line of lines) if (line.kind === 'timelines' && hasChanged(line.record, changed)) loaded++;
    await published(session);
    return { loaded, alreadyThere: lines.length - loaded };
  });
}

/** Serialises, packs and renders before the transaction, so that the lock is held only while rows are written. */
async function rowsOf(
  database: Database,
  once: readonly { line: OnceLine; index: number }[],
): Promise<OnceRow[]> {
  const turns = new Turns();
  const rows: OnceRow[] = [];
  for (let at = 0; at < once.length; at += MOST_ROWS) {
    const part = once.slice(at, at + MOST_ROWS);
    const lines = part.map(({ line }) => line);
    rows.push(...(await withInvoiceFiles(database, await bareRows(part, turns), lines, turns)));
  }
  return rows;
}

async function bareRows(
  part: readonly { line: OnceLine; index: number }[],
  turns: Turns,
): Promise<OnceRow[]> {
  const rows: OnceRow[] = [];
  for (let at = 0; at < part.length; at += PACKED_TOGETHER) {
    const few = part.slice(at, at + PACKED_TOGETHER);
    rows.push(...(await Promise.all(few.map(({ line, index }) => rowOf(line, index)))));
    await turns.between();
  }
  return rows;
}

/** Adds the rendered files of invoices (operation 8). An invoice that is there already is not rendered again. */
async function withInvoiceFiles(
  session: SqlSession,
  rows: readonly OnceRow[],
  lines: readonly OnceLine[],
  turns: Turns,
): Promise<OnceRow[]> {
  const invoices = rows.filter(({ table }) => table === INVOICE);
  const there = new Set(await rowsThere(session, INVOICE, invoices));
  const complete: OnceRow[] = [];
  for (const [index, row] of rows.entries()) {
    const line = lines[index];
    if (line?.kind !== 'invoices' || there.has(row)) complete.push(row);
    else {
      const file = Buffer.from(await renderInvoiceFile(line.record.invoice)).toString('base64');
      complete.push({ ...row, rest: { ...row.rest, file } });
      await turns.between();
    }
  }
  return complete;
}

function sizeOf({ rest }: OnceRow): number {
  return Object.values(rest).reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

function byTable(rows: readonly OnceRow[]): Iterable<[OnceTable, OnceRow[]]> {
  const tables = new Map<OnceTable, OnceRow[]>();
  for (const row of rows) {
    const ofTable = tables.get(row.table);
    if (ofTable === undefined) tables.set(row.table, [row]);
    else ofTable.push(row);
  }
  return tables;
}
