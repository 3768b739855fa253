import type { Database, SqlSession } from '@ssb/postgres';
import type { BulkLine } from '@ssb/market/admin';
import { renderInvoiceFile } from '../../invoice-file/render-invoice-file.js';
import { TimeSlicer } from '../../time-slicer.js';
import { findStoredRows, insertRows } from './insert-rows.js';
import { splitIntoBatches } from './statement-batches.js';
import { hasChanged, lastCycles, replaceCycles } from './replace-cycles.js';
import { toRow, type RecordLine } from './record-rows.js';
import { TABLES, type RecordRow, type RecordTable } from './tables.js';

export interface LoadCount {
  readonly loaded: number;
  readonly alreadyThere: number;
}

/** Keeps the four threads of the pool busy with compression. */
const CONCURRENT_ROWS = 8;

/** How long a load blocks other requests at a time. */
const MAX_SLICE_MS = 5;

/** One load writes at a time in all replicas, so that records become visible in the order of `sequence`. */
const LOAD_LOCK = 7_305_120;

/**
 * Writes all lines in one transaction, or none.
 * @param beforeCommit called within the transaction
 * @throws RecordConflictError with the index of a line whose key has other content already
 */
export async function loadLines(
  database: Database,
  lines: readonly BulkLine[],
  beforeCommit: (session: SqlSession) => Promise<void>,
): Promise<LoadCount> {
  // Rows are prepared before the transaction, so that the lock is held only while they are written.
  const slicer = new TimeSlicer(MAX_SLICE_MS);
  const rows = await toRows(lines, slicer);
  await addInvoiceFiles(database, rows, lines, slicer);
  const cycles = await lastCycles(lines, slicer);
  return database.transaction(async (session) => {
    await session.query('SELECT pg_advisory_xact_lock($1)', [LOAD_LOCK]);
    let loaded = 0;
    for (const [table, tableRows] of groupByTable(rows))
      for (const batch of splitIntoBatches(tableRows, sizeOf))
        loaded += await insertRows(session, table, batch);
    const changed = await replaceCycles(session, cycles);
    for (const line of lines) if (line.kind === 'timelines' && hasChanged(line.record, changed)) loaded++;
    await beforeCommit(session);
    return { loaded, alreadyThere: lines.length - loaded };
  });
}

async function toRows(lines: readonly BulkLine[], slicer: TimeSlicer): Promise<RecordRow[]> {
  const records = lines.flatMap((line, index): [RecordLine, number][] =>
    line.kind === 'timelines' ? [] : [[line, index]],
  );
  const rows: RecordRow[] = [];
  for (let at = 0; at < records.length; at += CONCURRENT_ROWS) {
    const group = records.slice(at, at + CONCURRENT_ROWS);
    rows.push(...(await Promise.all(group.map(([line, index]) => toRow(line, index)))));
    await slicer.pauseIfDue();
  }
  return rows;
}

/** Renders the files of new invoices (operation 8). */
async function addInvoiceFiles(
  session: SqlSession,
  rows: readonly RecordRow[],
  lines: readonly BulkLine[],
  slicer: TimeSlicer,
): Promise<void> {
  const invoices = rows.filter(({ table }) => table === TABLES.invoices);
  for (const batch of splitIntoBatches(invoices, sizeOf)) {
    const stored = new Set(await findStoredRows(session, TABLES.invoices, batch));
    for (const row of batch) {
      const line = lines[row.line];
      if (line?.kind !== 'invoices' || stored.has(row)) continue;
      row.rest['file'] = Buffer.from(await renderInvoiceFile(line.record.invoice)).toString('base64');
      await slicer.pauseIfDue();
    }
  }
}

function sizeOf({ rest }: RecordRow): number {
  return Object.values(rest).reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

function groupByTable(rows: readonly RecordRow[]): ReadonlyMap<RecordTable, RecordRow[]> {
  const tables = new Map<RecordTable, RecordRow[]>();
  for (const row of rows) {
    const tableRows = tables.get(row.table);
    if (tableRows === undefined) tables.set(row.table, [row]);
    else tableRows.push(row);
  }
  return tables;
}
