import type { Database, SqlSession } from '@ssb/database';
import type { BulkLine } from '@ssb/market-admin';
import { renderInvoiceFile } from '../../invoice-file/render-invoice-file.js';
import { TimeSlicer } from '../../time-slicer.js';
import { insertRows, rowsThere } from './insert-rows.js';
import { portions } from './portions.js';
import { hasChanged, replaceCycles, standingCycles } from './replace-cycles.js';
import { type OnceLine, rowOf } from './record-rows.js';
import { type OnceRow, type OnceTable, TABLES } from './tables.js';

export interface LoadCount {
  readonly loaded: number;
  readonly alreadyThere: number;
}

/** Packing is done by other threads, of which there are four. */
const PACKED_TOGETHER = 8;

/** How long other requests wait for a load at a time; one step of it is the least. */
const MAX_SLICE_MS = 5;

/** Only one load writes at a time, in all replicas: so `sequence` grows in the order in which records become visible. */
const LOAD_LOCK = 7_305_120;

/**
 * Writes all lines in one transaction: all of them are in, or none is.
 * @param beforeCommit called within the transaction
 * @throws RecordConflictError with the index of a line whose key is taken by another content
 */
export async function loadLines(
  database: Database,
  lines: readonly BulkLine[],
  beforeCommit: (session: SqlSession) => Promise<void>,
): Promise<LoadCount> {
  // Serialised, packed and rendered before the transaction, so that the lock is held only while rows are written.
  const slicer = new TimeSlicer(MAX_SLICE_MS);
  const rows = await rowsOf(lines, slicer);
  await addInvoiceFiles(database, rows, lines, slicer);
  const cycles = await standingCycles(lines, slicer);
  return database.transaction(async (session) => {
    await session.query('SELECT pg_advisory_xact_lock($1)', [LOAD_LOCK]);
    let loaded = 0;
    for (const [table, ofTable] of byTable(rows))
      for (const portion of portions(ofTable, sizeOf)) loaded += await insertRows(session, table, portion);
    const changed = await replaceCycles(session, cycles);
    for (const line of lines) if (line.kind === 'timelines' && hasChanged(line.record, changed)) loaded++;
    await beforeCommit(session);
    return { loaded, alreadyThere: lines.length - loaded };
  });
}

async function rowsOf(lines: readonly BulkLine[], slicer: TimeSlicer): Promise<OnceRow[]> {
  const once = lines.flatMap((line, index): [OnceLine, number][] =>
    line.kind === 'timelines' ? [] : [[line, index]],
  );
  const rows: OnceRow[] = [];
  for (let at = 0; at < once.length; at += PACKED_TOGETHER) {
    const few = once.slice(at, at + PACKED_TOGETHER);
    rows.push(...(await Promise.all(few.map(([line, index]) => rowOf(line, index)))));
    await slicer.pauseIfDue();
  }
  return rows;
}

/** Renders the files of invoices (operation 8). An invoice that is there already is not rendered again. */
async function addInvoiceFiles(
  session: SqlSession,
  rows: readonly OnceRow[],
  lines: readonly BulkLine[],
  slicer: TimeSlicer,
): Promise<void> {
  const invoices = rows.filter(({ table }) => table === TABLES.invoices);
  for (const portion of portions(invoices, sizeOf)) {
    const there = new Set(await rowsThere(session, TABLES.invoices, portion));
    for (const row of portion) {
      const line = lines[row.line];
      if (line?.kind !== 'invoices' || there.has(row)) continue;
      row.rest['file'] = Buffer.from(await renderInvoiceFile(line.record.invoice)).toString('base64');
      await slicer.pauseIfDue();
    }
  }
}

function sizeOf({ rest }: OnceRow): number {
  return Object.values(rest).reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

function byTable(rows: readonly OnceRow[]): ReadonlyMap<OnceTable, OnceRow[]> {
  const tables = new Map<OnceTable, OnceRow[]>();
  for (const row of rows) {
    const ofTable = tables.get(row.table);
    if (ofTable === undefined) tables.set(row.table, [row]);
    else ofTable.push(row);
  }
  return tables;
}
