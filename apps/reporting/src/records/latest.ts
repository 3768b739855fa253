import { BatchLoader, type Database } from '@ssb/database';
import { unpack } from './loading/packed.js';
import { fromText, type OnceTable } from './loading/tables.js';
import { answerBody, scopeOf, type ReadThrough } from './reading.js';

/** Which record of a table answers a question. All of it is SQL that comes from this program only. */
export interface LatestOf {
  readonly table: OnceTable;
  /** The key columns that a question names, in its order; the participant is the first. */
  readonly by: readonly string[];
  /** Narrows further, of the table's own columns. */
  readonly where?: string;
  /** What makes one record later than another. */
  readonly order: string;
  /** The column that is read: a JSON text, a packed JSON text, or the bytes of a file. */
  readonly content: 'document' | 'summary' | 'packed' | 'file';
}

type Content = string | Uint8Array | null;

/** No SQL text can hold it, so no part of a question does. */
const BETWEEN = '\0';

/**
 * The body of the answer made of the latest record: `{"data":…}` in UTF-8, or a file.
 * Many requests are answered by one statement; those that arrive while it runs, by the next one.
 */
export class Latest {
  private readonly loader: BatchLoader<Content>;

  constructor(
    private readonly database: Database,
    private readonly through: ReadThrough,
    private readonly of: LatestOf,
  ) {
    const sql = statementOf(of);
    this.loader = new BatchLoader((questions) => this.lookUp(sql, questions));
  }

  /** @param question a text for each column of `by` after the participant */
  read(participant: string, ...question: readonly string[]): Promise<Uint8Array | undefined> {
    const name = [this.of.table.name, this.of.content, ...question].join(' ');
    return this.through.read({ scope: scopeOf(participant), question: name }, async () =>
      this.bodyOf(await this.loader.find([participant, ...question].join(BETWEEN))),
    );
  }

  private async bodyOf(content: Content | undefined): Promise<Uint8Array | undefined> {
    if (typeof content === 'string') return answerBody(content);
    if (!(content instanceof Uint8Array)) return undefined;
    return this.of.content === 'file' ? content : answerBody(await unpack(content));
  }

  private async lookUp(sql: string, questions: readonly string[]): Promise<ReadonlyMap<string, Content>> {
    const parts = questions.map((question) => question.split(BETWEEN));
    const columns = this.of.by.map((_, column) => parts.map((part) => part[column] ?? null));
    const rows = await this.database.query<{ place: number; content: Content }>(sql, columns);
    return new Map(rows.map(({ place, content }) => [questions[place - 1] ?? '', content]));
  }
}

function statementOf({ table, by, where, order, content }: LatestOf): string {
  const given = by.map((column) => `asked_${column}`);
  const same = by.map(
    (column) => `there.${column} = ${fromText(table.key[column] ?? 'text', `asked.asked_${column}`)}`,
  );
  const wanted = [...same, ...(where === undefined ? [] : [where])].join(' AND ');
  return `SELECT asked.place::integer AS place, found.content
    FROM unnest(${by.map((_, index) => `$${index + 1}::text[]`).join(', ')}) WITH ORDINALITY AS asked (${given.join(', ')}, place)
    CROSS JOIN LATERAL (
      SELECT there.${content} AS content FROM ${table.name} AS there WHERE ${wanted} ORDER BY ${order} LIMIT 1
    ) AS found`;
}
