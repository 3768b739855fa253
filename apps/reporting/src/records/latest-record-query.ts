import { BatchLoader, type Database } from '@ssb/postgres';
import { groupByKey, toBatchKey, toColumnParameters, toResponseBody } from './batch-query.js';
import { participantScope, type ReadThrough } from './document-cache.js';
import { decompress } from './loading/compression.js';
import { castText, type RecordTable } from './loading/tables.js';

/** Selects one record of a participant. The texts are SQL, and none comes from a request. */
export interface LatestRecordDefinition<Field extends string = string> {
  readonly table: RecordTable;
  /** The key column of each field of a query. */
  readonly columns: Readonly<Record<Field, string>>;
  /** A further condition on the table's columns. */
  readonly where?: string;
  /** The order in which the latest record is the first. */
  readonly order: string;
  /** The column to read: a JSON text, a compressed JSON text, or the bytes of a file. */
  readonly content: 'document' | 'summary' | 'packed' | 'file';
}

interface LatestRow {
  readonly position: number;
  readonly content: string | Uint8Array | null;
}

/** Finds the latest record of a key. Concurrent requests share one SQL statement. */
export class LatestRecordQuery<Field extends string> {
  private readonly fields: readonly Field[];
  private readonly loader: BatchLoader<LatestRow>;

  constructor(
    database: Database,
    private readonly cache: ReadThrough,
    private readonly definition: LatestRecordDefinition<Field>,
  ) {
    this.fields = Object.keys(definition.columns) as Field[];
    const columns = ['participant', ...this.fields.map((field) => definition.columns[field])];
    const sql = toSql(definition, columns);
    this.loader = new BatchLoader(async (keys) =>
      groupByKey(keys, await database.query<LatestRow>(sql, toColumnParameters(keys, columns.length))),
    );
  }

  /** The body of a 200: `{"data":…}` in UTF-8, or a file; undefined when nothing was published. */
  find(participant: string, key: Readonly<Record<Field, string>>): Promise<Uint8Array | undefined> {
    const values = this.fields.map((field) => key[field]);
    const documentKey = {
      scope: participantScope(participant),
      query: [this.definition.table.name, this.definition.content, ...values].join(' '),
    };
    return this.cache.read(documentKey, async () => {
      const row = await this.loader.find(toBatchKey([participant, ...values]));
      return this.toBody(row?.content);
    });
  }

  private async toBody(content: LatestRow['content'] | undefined): Promise<Uint8Array | undefined> {
    if (typeof content === 'string') return toResponseBody(content);
    if (!(content instanceof Uint8Array)) return undefined;
    return this.definition.content === 'file' ? content : toResponseBody(await decompress(content));
  }
}

function toSql({ table, where, order, content }: LatestRecordDefinition, columns: readonly string[]): string {
  const sameKey = columns.map(
    (column) => `stored.${column} = ${castText(table.key[column] ?? 'text', `requested.${column}`)}`,
  );
  const condition = [...sameKey, ...(where === undefined ? [] : [where])].join(' AND ');
  return `SELECT requested.position::integer AS position, latest.content
    FROM unnest(${columns.map((_, index) => `$${index + 1}::text[]`).join(', ')}) WITH ORDINALITY
      AS requested (${columns.join(', ')}, position)
    CROSS JOIN LATERAL (
      SELECT stored.${content} AS content FROM ${table.name} AS stored WHERE ${condition} ORDER BY ${order} LIMIT 1
    ) AS latest`;
}
