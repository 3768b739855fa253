import type { SqlSession } from '@ssb/postgres';

/** An identity sequence that was behind the rows of its table, as after a logical replication, which copies no sequences. */
export interface AdvancedIdentity {
  readonly table: string;
  readonly from: number;
  readonly to: number;
}

/** Advances every identity sequence that is behind. Later inserts then get values above those of all rows. */
export function advanceIdentities(session: SqlSession): Promise<AdvancedIdentity[]> {
  return session.query<AdvancedIdentity>(
    'SELECT table_name AS "table", advanced_from AS "from", advanced_to AS "to" FROM advance_identities()',
  );
}
