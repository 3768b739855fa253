import { waitFor } from '@ssb/testing';
import type { ArchiveTables } from './archive-tables.js';

/** Carries out the next request as the subscriber does. @returns the request */
export async function carryOutNext(
  { admin }: ArchiveTables,
  outcome: 'done' | 'refused' | 'failed' = 'done',
  result: Readonly<Record<string, unknown>> = {},
): Promise<{ kind: string; parameters: unknown; author: string; comment: string | null }> {
  return waitFor('an open request', async () => {
    const [row] = await admin.query<Awaited<ReturnType<typeof carryOutNext>>>(
      `UPDATE request SET finished_at = clock_timestamp(), outcome = $1, result = $2::jsonb
       WHERE finished_at IS NULL RETURNING kind, parameters, author, comment`,
      [outcome, JSON.stringify(result)],
    );
    return row;
  });
}
