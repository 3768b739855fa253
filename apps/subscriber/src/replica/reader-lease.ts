import type { Database, SqlSession } from '@ssb/database';

/** Channel on which a replica that begins or releases a lease notifies the others. */
export const REPLICAS_CHANNEL = 'replicas';

/** The right to read the channels, as a write carries it. */
export interface ReaderToken {
  /** Whose position in the channels is read. */
  readonly clientId: string;
  readonly fencingToken: number;
}

/** The replica's term, or its right to read, is over; what was to be written is not. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor() {
    super('another replica has taken over, or may have');
  }
}

/**
 * Takes the reader lease if it is free. It stays this replica's until its term ends. A repeat gives it a new token, so that an answer that
 * was lost does no harm.
 * @param term fencing token of the replica's term
 * @returns undefined while another replica has it
 */
export async function acquireReaderLease(
  database: Database,
  clientId: string,
  term: number,
): Promise<ReaderToken | undefined> {
  const [row] = await database.query<{ fencing_token: number }>(
    `INSERT INTO reader_lease (client_id, holder, fencing_token) VALUES ($1, $2, 1)
     ON CONFLICT (client_id) DO UPDATE SET holder = $2, fencing_token = reader_lease.fencing_token + 1
       WHERE reader_lease.holder IS NULL OR reader_lease.holder = $2
     RETURNING fencing_token`,
    [clientId, term],
  );
  return row && { clientId, fencingToken: row.fencing_token };
}

/**
 * Keeps the reader lease from being taken until the transaction ends.
 * @throws LeaseLostError when it is another's, or its replica's time is over
 */
export async function requireReader(session: SqlSession, reader: ReaderToken): Promise<void> {
  const rows = await session.query(
    `SELECT 1 FROM reader_lease JOIN replica ON replica.fencing_token = reader_lease.holder
     WHERE reader_lease.client_id = $1 AND reader_lease.fencing_token = $2 AND replica.expires_at > clock_timestamp()
     FOR SHARE OF reader_lease`,
    [reader.clientId, reader.fencingToken],
  );
  if (rows.length === 0) throw new LeaseLostError();
}

/** Releases the reader lease and notifies the other replicas. Harmless when it is another's. */
export async function releaseReaderLease(database: Database, reader: ReaderToken): Promise<void> {
  await database.transaction(async (session) => {
    await session.query('UPDATE reader_lease SET holder = NULL WHERE client_id = $1 AND fencing_token = $2', [
      reader.clientId,
      reader.fencingToken,
    ]);
    await session.notify(REPLICAS_CHANNEL, '');
  });
}
