import type { Database, SqlSession } from '@ssb/postgres';

/** Database channel that notifies all replicas when one acquires or releases a lease. */
export const REPLICAS_CHANNEL = 'replicas';

/** Proves the right to read the channels; every write carries it. */
export interface ReaderToken {
  /** Client id whose offsets or watermarks in the channels are used. */
  readonly clientId: string;
  readonly fencingToken: number;
}

/** The replica's term or its right to read has ended; nothing was written. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor() {
    super('The lease has ended; another replica may have taken over');
  }
}

/**
 * Acquires the reader lease if it is free, until the replica's term ends. A repeat returns a new token, so a lost response is harmless.
 * After a reader of an earlier release, which does not set `problems_token`, a trigger requests that the problems are derived again.
 * @param term fencing token of the replica's term
 * @returns undefined while another replica holds it
 */
export async function acquireReaderLease(
  database: Database,
  clientId: string,
  term: number,
): Promise<ReaderToken | undefined> {
  const [row] = await database.query<{ fencing_token: number }>(
    `INSERT INTO reader_lease (client_id, holder, fencing_token, problems_token) VALUES ($1, $2, 1, 1)
     ON CONFLICT (client_id) DO UPDATE
       SET holder = $2, fencing_token = reader_lease.fencing_token + 1, problems_token = reader_lease.fencing_token + 1
       WHERE reader_lease.holder IS NULL OR reader_lease.holder = $2
     RETURNING fencing_token`,
    [clientId, term],
  );
  return row && { clientId, fencingToken: row.fencing_token };
}

/**
 * Checks the reader lease, and locks it until the transaction ends. So the transactions of the reader run one after the other: each decides on
 * problems and sequences that the others change.
 * @throws LeaseLostError when another replica holds it, or this replica's term has ended
 */
export async function assertReader(session: SqlSession, reader: ReaderToken): Promise<void> {
  const rows = await session.query(
    `SELECT 1 FROM reader_lease JOIN replica ON replica.fencing_token = reader_lease.holder
     WHERE reader_lease.client_id = $1 AND reader_lease.fencing_token = $2 AND replica.expires_at > clock_timestamp()
     FOR NO KEY UPDATE OF reader_lease`,
    [reader.clientId, reader.fencingToken],
  );
  if (rows.length === 0) throw new LeaseLostError();
}

/** Releases the reader lease and notifies the other replicas. Does nothing when another replica holds it. */
export async function releaseReaderLease(database: Database, reader: ReaderToken): Promise<void> {
  await database.transaction(async (session) => {
    await session.query('UPDATE reader_lease SET holder = NULL WHERE client_id = $1 AND fencing_token = $2', [
      reader.clientId,
      reader.fencingToken,
    ]);
    await session.notify(REPLICAS_CHANNEL, '');
  });
}
