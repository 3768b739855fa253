import type { Database, SqlValue } from '@ssb/database';
import { unpack } from './loading/packed.js';

/** A document to be found: whose it is decides which loads may change it, and the question tells it from the others. */
export interface DocumentKey {
  readonly scope: string;
  readonly question: string;
}

/** What documents are read through. `find` asks the database; what it answers may be kept until the scope is loaded into. */
export interface ReadThrough {
  read<T extends string | Uint8Array | undefined>(key: DocumentKey, find: () => Promise<T>): Promise<T>;
}

/** Asks the database each time. */
export const uncached: ReadThrough = { read: (_key, find) => find() };

/** The timeline is the market's; the rest a participant's own. */
export const TIMELINE_SCOPE = 'timeline';
export const scopeOf = (participant: string): string => `of ${participant}`;

/** The one document that the statement selects as `document`, if any. */
export async function oneDocument(
  database: Database,
  sql: string,
  parameters: readonly SqlValue[],
): Promise<string | undefined> {
  const [row] = await database.query<{ document: string }>(sql, parameters);
  return row?.document;
}

/** The one document that the statement selects as `packed`, if any. */
export async function onePacked(
  database: Database,
  sql: string,
  parameters: readonly SqlValue[],
): Promise<string | undefined> {
  const [row] = await database.query<{ packed: Uint8Array }>(sql, parameters);
  return row && unpack(row.packed);
}
