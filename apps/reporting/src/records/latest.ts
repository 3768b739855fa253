import { BatchLoader, type Database } from '@ssb/database';
import { fromText, type OnceTable } from './loading/tables.js';

/** Which record of a table answers a question. All of it is SQL that comes from this program only. */
export interface LatestOf {
  readonly table: OnceTable;
  /** The key columns that a question names, in its order. */
  readonly by: readonly string[];
  /** Narrows further, of the table's own columns. */
  readonly where?: string;
  /** What makes one record later than another. */
  readonly order: string;
  /** The column that is read. */
  readonly content: string;
}

/** As the database has it: JSON text, or bytes; null where none was written. */
export type Content = string | Uint8Array | null;

/** No SQL text can hold it, so no part of a question does. */
const BETWEEN = '\0';

/** Finds the latest record for each of many requests by one statement. Requests that arrive while it runs are answered by the next one. */
export class Latest {
  private readonly loader: BatchLoader<Content>;

  constructor(
    private readonly database: Database,
    private readonly of: LatestOf,
  ) {
    const sql = statementOf(of);
    this.loader = new BatchLoader((questions) => this.lookUp(sql, questions));
  }

  /** @param question a text for each column of `by` */
  find(...question: readonly string[]): Promise<Content | undefined> {
    return this.loader.find(question.join(BETWEEN));
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
