import type { Database, SqlSession } from '@ssb/database';
import type { BulkLine } from '@ssb/market';
import { insertRows } from './insert-rows.js';
import { withInvoiceFiles } from './invoice-files.js';
import type { OnceRow, OnceTable } from './once-table.js';
import { replaceCycles } from './replace-cycles.js';
import { Turns } from './turns.js';
import { rowOf, type OnceLine, type RenderInvoiceFile } from './rows-of.js';

export interface LoadCount {
  readonly loaded: number;
  readonly alreadyThere: number;
}

/** As much as one statement writes: enough to be quick, little enough not to hold up whoever reads meanwhile. */
const MOST_ROWS = 250;
const MOST_CHARACTERS = 512 * 1024;
/** Packing is done by other threads, of which there are four. */
const PACKED_TOGETHER = 8;

/** Loads take turns, also those of other replicas: so `sequence` grows in the order in which records become visible. */
const LOAD_LOCK = 7_305_119;

/**
 * Writes all lines in one transaction: all of them are in, or none is.
 * @param published called within the transaction, before it is committed
 * @throws RecordConflictError with the index of a line whose key is taken by another content
 */
export async function loadLines(
  database: Database,
  lines: readonly BulkLine[],
  render: RenderInvoiceFile,
  published: (session: SqlSession) => Promise<void>,
): Promise<LoadCount> {
  const once = lines.flatMap((line, index) => (line.kind === 'timelines' ? [] : [{ line, index }]));
  const rows = await rowsOf(database, once, render);
  return database.transaction(async (session) => {
    await session.query('SELECT pg_advisory_xact_lock($1)', [LOAD_LOCK]);
    let loaded = 0;
    for (const portion of portions(rows)) {
      const [first] = portion;
      if (first) loaded += await insertRows(session, first.table, portion);
    }
    for (const line of lines)
      if (line.kind === 'timelines' && (await replaceCycles(session, line.record))) loaded++;
    await published(session);
    return { loaded, alreadyThere: lines.length - loaded };
  });
}

/** Serialises, packs and renders before the transaction begins: none of it needs the database held. */
async function rowsOf(
  database: Database,
  once: readonly { line: OnceLine; index: number }[],
  render: RenderInvoiceFile,
): Promise<OnceRow[]> {
  const turns = new Turns();
  const rows: OnceRow[] = [];
  for (let at = 0; at < once.length; at += MOST_ROWS) {
    const part = once.slice(at, at + MOST_ROWS);
    const lines = part.map(({ line }) => line);
    rows.push(...(await withInvoiceFiles(database, await bareRows(part, turns), lines, render, turns)));
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

/** Rows of one table each, in their order, and not too many at a time. */
function* portions(rows: readonly OnceRow[]): Generator<OnceRow[]> {
  for (const ofTable of byTable(rows)) {
    let portion: OnceRow[] = [];
    let characters = 0;
    for (const row of ofTable) {
      const size = Object.values(row.rest).reduce((sum, text) => sum + (text?.length ?? 0), 0);
      if (portion.length > 0 && (portion.length >= MOST_ROWS || characters + size > MOST_CHARACTERS)) {
        yield portion;
        portion = [];
        characters = 0;
      }
      portion.push(row);
      characters += size;
    }
    if (portion.length > 0) yield portion;
  }
}

function byTable(rows: readonly OnceRow[]): Iterable<OnceRow[]> {
  const tables = new Map<OnceTable, OnceRow[]>();
  for (const row of rows) {
    const ofTable = tables.get(row.table);
    if (ofTable === undefined) tables.set(row.table, [row]);
    else ofTable.push(row);
  }
  return tables.values();
}
