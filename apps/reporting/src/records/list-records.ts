import type { Database } from '@ssb/postgres';
import type { RecordKind } from '@ssb/market/admin';
import { decompress } from './loading/compression.js';
import { TABLES, type ColumnType, type KeyValue, type RecordTable } from './loading/tables.js';

export interface ListQuery {
  /** Limits the page to one participant; ignored for the timeline. */
  readonly participant?: string | undefined;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  /** Maximum number of records. */
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
  /** Where the next page begins; absent on the last page. */
  readonly next?: string;
}

/** A page of records, in the order of loading. */
export async function listRecords(
  database: Database,
  kind: RecordKind,
  { participant, after = '0', limit }: ListQuery,
): Promise<RecordPage> {
  const { name, key, content }: RecordTable = TABLES[kind];
  const columns = Object.entries(key).map(([column, type]) => `${selectKey(type, column)} AS ${column}`);
  const byParticipant = participant !== undefined && 'participant' in key;
  const rows = await database.query<Record<string, KeyValue> & SelectedRow>(
    `SELECT sequence::text AS "#", ${content === 'digest' ? 'packed' : 'document'} AS "*", ${columns.join(', ')}
     FROM ${name} WHERE sequence > $1${byParticipant ? ' AND participant = $3' : ''} ORDER BY sequence LIMIT $2`,
    [after, limit + 1, ...(byParticipant ? [participant] : [])],
  );
  const records = await Promise.all(
    rows.slice(0, limit).map(async ({ '#': sequence, '*': stored, ...values }) => ({
      sequence,
      key: values,
      document: typeof stored === 'string' ? stored : (await decompress(stored)).toString('utf8'),
    })),
  );
  const last = records.at(-1);
  return rows.length > limit && last ? { records, next: last.sequence } : { records };
}

/** Column names that no key column can have. */
interface SelectedRow {
  '#': string;
  '*': string | Uint8Array;
}

/** Selects times in the form of the interface. */
function selectKey(type: ColumnType, column: string): string {
  return type === 'timestamp' ? `replace(${column}::text, ' ', 'T')` : column;
}
