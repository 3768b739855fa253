import type { Database } from '@ssb/database';
import type { RecordKind } from '@ssb/market-admin';
import { unpack } from './loading/compression.js';
import { type ColumnType, type KeyValue, type OnceTable, TABLES } from './loading/tables.js';

export interface ListQuestion {
  /** Only this participant's; the timeline is nobody's, and not narrowed by it. */
  readonly participant?: string | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** Most records of a page. */
  readonly limit: number;
}

export interface ListedRecord {
  readonly sequence: string;
  readonly key: Record<string, KeyValue>;
  /** JSON text as it is served. */
  readonly document: string;
}

export interface RecordPage {
  readonly records: ListedRecord[];
  /** Where the next page begins; absent when this is the last one. */
  readonly next?: string;
}

/** A page of records, in the order in which they were loaded. */
export async function listRecords(
  database: Database,
  kind: RecordKind,
  { participant, after = '0', limit }: ListQuestion,
): Promise<RecordPage> {
  const { name, key, content }: OnceTable = TABLES[kind];
  const columns = Object.entries(key).map(([column, type]) => `${asKey(type, column)} AS ${column}`);
  const narrow = participant !== undefined && 'participant' in key;
  const rows = await database.query<Record<string, KeyValue> & Found>(
    `SELECT sequence::text AS "#", ${content === 'digest' ? 'packed' : 'document'} AS "*", ${columns.join(', ')}
     FROM ${name} WHERE sequence > $1${narrow ? ' AND participant = $3' : ''} ORDER BY sequence LIMIT $2`,
    [after, limit + 1, ...(narrow ? [participant] : [])],
  );
  const records = await Promise.all(
    rows.slice(0, limit).map(async ({ '#': sequence, '*': stored, ...values }) => ({
      sequence,
      key: values,
      document: typeof stored === 'string' ? stored : (await unpack(stored)).toString('utf8'),
    })),
  );
  const last = records.at(-1);
  return rows.length > limit && last ? { records, next: last.sequence } : { records };
}

interface Found {
  '#': string;
  '*': string | Uint8Array;
}

/** Times as the interface writes them. */
function asKey(type: ColumnType, column: string): string {
  return type === 'timestamp' ? `replace(${column}::text, ' ', 'T')` : column;
}
