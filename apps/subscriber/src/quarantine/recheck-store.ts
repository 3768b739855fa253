import type { Message } from '@ssb/bus';
import type { Database, SqlSession } from '@ssb/postgres';
import type { QuarantineUse } from './domain/quarantine-storage.js';
import { advanceIdentities } from '../archive/identities.js';
import { classifyStorageFailure } from '../database/domain/storage-failure.js';
import { assertReader, type ReaderToken } from '../replica/reader-lease.js';
import type { RequestKind, RequestOutcome } from '../requests/request.js';

/** The requests that the replica which reads the channels carries out. */
export const RECHECK_KIND = 'recheck-quarantine' satisfies RequestKind;

/** A quarantined message that can be evaluated again. */
export interface OpenMessage {
  readonly offset: bigint;
  readonly quarantinedAt: Date;
  readonly message: Message;
}

export interface RecheckProgress {
  readonly evaluated: number;
  readonly released: number;
}

/** A request, with the progress that earlier readers made. */
export interface RecheckRequest extends RecheckProgress {
  readonly id: number;
  readonly author: string;
}

export interface RecheckState {
  /** Fingerprint of the last complete recheck; undefined when there was none. */
  readonly fingerprint: string | undefined;
  readonly use: QuarantineUse;
  /** The requests that are not fulfilled. */
  readonly requests: readonly RecheckRequest[];
}

/** Requests that one recheck fulfils; further ones wait for the next. */
const MAX_REQUESTS = 1_000;
const MAX_PAGE_ROWS = 200;
/** A page ends with the message that exceeds this size. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Reads the open messages of the quarantine, and keeps the state of rechecks. */
export class RecheckStore {
  constructor(private readonly database: Database) {}

  async readState(): Promise<RecheckState> {
    const [row] = await this.database.query<StateRow>(
      'SELECT evaluated_with, trusted_bytes, untrusted_bytes FROM quarantine_status',
    );
    const requests = await this.database.query<RecheckRequest>(
      `SELECT request_id AS id, author, ${EVALUATED} AS evaluated, ${RELEASED} AS released FROM request
       WHERE finished_at IS NULL AND kind = '${RECHECK_KIND}' ORDER BY request_id LIMIT $1`,
      [MAX_REQUESTS],
    );
    return {
      fingerprint: row?.evaluated_with ?? undefined,
      use: { trustedBytes: row?.trusted_bytes ?? 0, untrustedBytes: row?.untrusted_bytes ?? 0 },
      requests,
    };
  }

  /** Shows that this replica works on the requests. */
  async claim(requests: readonly RecheckRequest[], reader: ReaderToken): Promise<void> {
    if (requests.length === 0) return;
    await this.database.query(
      `UPDATE request SET claimed_by = holder FROM reader_lease
       WHERE request_id = ANY ($1::bigint[]) AND finished_at IS NULL AND client_id = $2 AND fencing_token = $3`,
      [requests.map(({ id }) => id), reader.clientId, reader.fencingToken],
    );
  }

  /** How many messages `listOpen` returns in all. */
  async countOpen(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM quarantine WHERE ${CAN_BE_EVALUATED}`,
    );
    return row?.count ?? 0;
  }

  async lastOffset(): Promise<bigint> {
    const [row] = await this.database.query<{ last: string }>(
      'SELECT coalesce(max(quarantine_offset), 0)::text AS last FROM quarantine',
    );
    return BigInt(row?.last ?? 0);
  }

  /** The next messages that can be evaluated. */
  async listOpen(after: bigint, upTo: bigint): Promise<OpenMessage[]> {
    const rows = await this.database.query<OpenRow>(
      `WITH page AS (
         SELECT quarantine_offset, payload_bytes FROM quarantine
         WHERE quarantine_offset > $1 AND quarantine_offset <= $2 AND ${CAN_BE_EVALUATED}
         ORDER BY quarantine_offset LIMIT $3
       ), sized AS (
         SELECT quarantine_offset, sum(payload_bytes) OVER (ORDER BY quarantine_offset) - payload_bytes AS bytes_before FROM page
       )
       SELECT quarantine_offset::text, channel, message_id, topic, transaction_id, sender, signature, appended_at_nanos::text, payload,
              quarantined_at
       FROM sized JOIN quarantine USING (quarantine_offset) WHERE bytes_before < $4 ORDER BY quarantine.quarantine_offset`,
      [after, upTo, MAX_PAGE_ROWS, MAX_PAGE_BYTES],
    );
    return rows.map(toOpenMessage);
  }

  /**
   * @param progress of this reader; it is added to that of earlier readers, so a repeated call changes nothing
   * @param open how many messages this reader evaluates
   */
  async recordProgress(
    requests: readonly RecheckRequest[],
    progress: RecheckProgress,
    open: number,
  ): Promise<void> {
    if (requests.length === 0) return;
    await this.database.query(
      `UPDATE request SET progress = jsonb_build_object('changed', evaluated, 'total', total, 'released', released)
       FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[]) AS given (id, evaluated, released, total)
       WHERE request_id = given.id AND finished_at IS NULL`,
      [
        requests.map(({ id }) => id),
        requests.map(({ evaluated }) => evaluated + progress.evaluated),
        requests.map(({ released }) => released + progress.released),
        requests.map(({ evaluated }) => evaluated + Math.max(open, progress.evaluated)),
      ],
    );
  }

  /**
   * Records a complete recheck and ends its requests.
   * @param failure a sentence for its requests, when messages could not be released
   * @throws LeaseLostError when another replica reads the channels; nothing was recorded
   */
  async complete(
    requests: readonly RecheckRequest[],
    fingerprint: string,
    reader: ReaderToken,
    failure?: string,
  ): Promise<void> {
    await this.withIdentities(() =>
      this.database.transaction(async (session) => {
        await assertReader(session, reader);
        await session.query('UPDATE quarantine_status SET evaluated_with = $1', [fingerprint]);
        await finish(session, requests, failure);
      }),
    );
  }

  /** Ends requests whose recheck failed. */
  async fail(requests: readonly RecheckRequest[], failure: string): Promise<void> {
    await this.withIdentities(() => finish(this.database, requests, failure));
  }

  /** The end of a request adds a row to the audit table. */
  private async withIdentities(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (classifyStorageFailure(error) === 'identity') await advanceIdentities(this.database);
      throw error;
    }
  }
}

/** SQL: of the progress of a row of `request`. */
const EVALUATED = "coalesce((progress->>'changed')::integer, 0)";
const RELEASED = "coalesce((progress->>'released')::integer, 0)";

/** SQL: the payload of a quarantined message is stored whole. Replays are left out, because no configuration accepts them. */
const CAN_BE_EVALUATED =
  "released_at IS NULL AND reason <> 'replayed' AND octet_length(payload) = payload_bytes";

async function finish(
  session: SqlSession,
  requests: readonly RecheckRequest[],
  failure: string | undefined,
): Promise<void> {
  if (requests.length === 0) return;
  const outcome: RequestOutcome = failure === undefined ? 'done' : 'failed';
  await session.query(
    `UPDATE request SET finished_at = clock_timestamp(), claimed_by = NULL, outcome = $2,
       result = jsonb_strip_nulls(jsonb_build_object('reason', $3::text, 'evaluated', ${EVALUATED}, 'released', ${RELEASED},
         'stillQuarantined', (SELECT count(*) FROM quarantine WHERE released_at IS NULL)))
     WHERE request_id = ANY ($1::bigint[]) AND finished_at IS NULL`,
    [requests.map(({ id }) => id), outcome, failure ?? null],
  );
}

interface StateRow {
  evaluated_with: string | null;
  trusted_bytes: number;
  untrusted_bytes: number;
}

interface OpenRow {
  quarantine_offset: string;
  channel: string;
  message_id: string;
  topic: string | null;
  transaction_id: string | null;
  sender: string;
  signature: string;
  appended_at_nanos: string;
  payload: Uint8Array;
  quarantined_at: Date;
}

function toOpenMessage(row: OpenRow): OpenMessage {
  return {
    offset: BigInt(row.quarantine_offset),
    quarantinedAt: row.quarantined_at,
    message: {
      id: row.message_id,
      fqcn: row.channel,
      topic: row.topic ?? undefined,
      payload: Buffer.from(row.payload).toString('utf8'),
      signature: row.signature,
      sender: row.sender,
      timestampNanos: BigInt(row.appended_at_nanos),
      transactionId: row.transaction_id ?? undefined,
    },
  };
}
