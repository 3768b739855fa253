import { BatchLoader, type Database } from '@ssb/database';
import {
  answerBody,
  byQuestion,
  columnsOf,
  questionKey,
  scopeOf,
  type ReadThrough,
} from './batch-query.js';
import { unpack } from './loading/compression.js';
import { fromText, type OnceTable } from './loading/tables.js';

/** Which record of a participant answers a question. All of it is SQL that comes from this program only. */
export interface LatestOf<Field extends string = string> {
  readonly table: OnceTable;
  /** The key column that each field of a question names. */
  readonly by: Readonly<Record<Field, string>>;
  /** Narrows further, of the table's own columns. */
  readonly where?: string;
  /** What makes one record later than another. */
  readonly order: string;
  /** The column that is read: a JSON text, a packed JSON text, or the bytes of a file. */
  readonly content: 'document' | 'summary' | 'packed' | 'file';
}

interface Found {
  readonly place: number;
  readonly content: string | Uint8Array | null;
}

/**
 * The body of the answer made of the latest record: `{"data":…}` in UTF-8, or a file.
 * Many requests are answered by one statement; those that arrive while it runs, by the next one.
 */
export class Latest<Field extends string> {
  private readonly fields: readonly Field[];
  private readonly loader: BatchLoader<Found>;

  constructor(
    database: Database,
    private readonly through: ReadThrough,
    private readonly of: LatestOf<Field>,
  ) {
    this.fields = Object.keys(of.by) as Field[];
    const columns = ['participant', ...this.fields.map((field) => of.by[field])];
    const sql = statementOf(of, columns);
    this.loader = new BatchLoader(async (questions) =>
      byQuestion(questions, await database.query<Found>(sql, columnsOf(questions, columns.length))),
    );
  }

  read(participant: string, question: Readonly<Record<Field, string>>): Promise<Uint8Array | undefined> {
    const parts = this.fields.map((field) => question[field]);
    const key = {
      scope: scopeOf(participant),
      question: [this.of.table.name, this.of.content, ...parts].join(' '),
    };
    return this.through.read(key, async () => {
      const found = await this.loader.find(questionKey([participant, ...parts]));
      return this.bodyOf(found?.content);
    });
  }

  private async bodyOf(content: Found['content'] | undefined): Promise<Uint8Array | undefined> {
    if (typeof content === 'string') return answerBody(content);
    if (!(content instanceof Uint8Array)) return undefined;
    return this.of.content === 'file' ? content : answerBody(await unpack(content));
  }
}

function statementOf({ table, where, order, content }: LatestOf, columns: readonly string[]): string {
  const same = columns.map(
    (column) => `there.${column} = ${fromText(table.key[column] ?? 'text', `requested.${column}`)}`,
  );
  const wanted = [...same, ...(where === undefined ? [] : [where])].join(' AND ');
  return `SELECT requested.place::integer AS place, found.content
    FROM unnest(${columns.map((_, index) => `$${index + 1}::text[]`).join(', ')}) WITH ORDINALITY
      AS requested (${columns.join(', ')}, place)
    CROSS JOIN LATERAL (
      SELECT there.${content} AS content FROM ${table.name} AS there WHERE ${wanted} ORDER BY ${order} LIMIT 1
    ) AS found`;
}
