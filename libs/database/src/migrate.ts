import type { Database } from './database.js';

/** A step of the tables' history; once landed it never changes, later steps are added behind it. */
export interface Migration {
  /** Sorts by age, e.g. `001-inbox`. */
  readonly id: string;
  /** One or more statements, separated by semicolons at the ends of lines. */
  readonly sql: string;
}

/** Runs the migrations that this database has not seen, in order, each in a transaction of its own. */
export async function migrate(
  database: Pick<Database, 'query' | 'transaction'>,
  migrations: readonly Migration[],
): Promise<void> {
  await database.query(
    'CREATE TABLE IF NOT EXISTS migration (id text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
  );
  const seen = new Set(
    (await database.query<{ id: string }>('SELECT id FROM migration')).map(({ id }) => id),
  );
  for (const { id, sql } of migrations) {
    if (seen.has(id)) continue;
    await database.transaction(async (session) => {
      for (const statement of statementsOf(sql)) await session.query(statement);
      await session.query('INSERT INTO migration (id) VALUES ($1)', [id]);
    });
  }
}

function statementsOf(sql: string): string[] {
  return sql
    .split(/;\s*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
