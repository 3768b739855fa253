import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@ssb/postgres';
import { DATABASE } from '../../database/database-options.js';
import { TERM_IS_ACTIVE } from '../../replica/replica-lease.js';
import { insertAttempts } from './attempt-table.js';
import {
  archivedEventOf,
  pendingColumns,
  typeOf,
  SKIPPED_OR_REPLACED,
  type AttemptResult,
  type PendingDelivery,
} from './pending-delivery.js';
import { CAN_BE_PROBED, PROBE_LEASE_SECONDS, SINK_IS_CLOSED, SINK_IS_DISABLED } from './sink-states.js';

/** A parked delivery is attempted again after this time. */
export const PARKED_RETRY_SECONDS = 600;

/** When its sink accepts another delivery, a parked one waits this long after its last attempt, and twice as long after each further one. */
export const FIRST_RETRY_SECONDS = 1;

/** Parked deliveries of one sink and event type. */
export interface ParkedSummary {
  readonly sink: string;
  readonly type: string;
  readonly count: number;
  /** Subject of the delivery that was parked last. */
  readonly subject: string;
  readonly lastOutcome: string;
}

export interface ParkedQuery {
  readonly sink: string;
  /** Fencing token of the replica's term. */
  readonly term: number;
  /** How long ago the sink accepted another delivery; undefined when it did not. */
  readonly acceptedMsAgo: number | undefined;
}

/** Due now, by $3: milliseconds since the sink accepted another delivery. Its last attempt was PARKED_RETRY_SECONDS before parked_until. */
const PARKED_IS_DUE = `(parked_until <= clock_timestamp() OR ($3::double precision IS NOT NULL AND retry_from <= clock_timestamp()
  AND parked_until < clock_timestamp() + make_interval(secs => ${PARKED_RETRY_SECONDS} - $3::double precision / 1000)))`;

/** The row of `due` is attempted now, so its next retry is set; it also covers a crash during the attempt. */
const TAKE_DUE = `taken AS (
    UPDATE delivery SET parked_until = clock_timestamp() + make_interval(secs => ${PARKED_RETRY_SECONDS}),
      retry_from = clock_timestamp()
        + make_interval(secs => least(${PARKED_RETRY_SECONDS}, ${FIRST_RETRY_SECONDS} * 2 ^ least(attempts, 16)))
    FROM due WHERE delivery.sink = $2 AND delivery.event_id = due.event_id RETURNING delivery.*
  )
  SELECT ${pendingColumns('taken')} FROM taken JOIN ${archivedEventOf('taken')}`;

/** Deliveries that their sink refused. They are attempted one at a time and do not block others. */
@Injectable()
export class ParkedDeliveries {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  /** Takes the most urgent due one of a sink that does not fail. */
  async takeDue({ sink, term, acceptedMsAgo }: ParkedQuery): Promise<PendingDelivery | undefined> {
    const [delivery] = await this.database.query<PendingDelivery>(
      `WITH due AS (
         SELECT event_id FROM delivery
         WHERE sink = $2 AND parked_until IS NOT NULL AND ${PARKED_IS_DUE} AND ${TERM_IS_ACTIVE} AND NOT ${SINK_IS_CLOSED}
         ORDER BY urgent DESC, parked_until LIMIT 1 FOR UPDATE SKIP LOCKED
       ), ${TAKE_DUE}`,
      [term, sink, acceptedMsAgo ?? null],
    );
    return delivery;
  }

  /** Takes the one that was not attempted for the longest time as the probe of a failing sink, when a probe is due. */
  async takeProbe({ sink, term }: Pick<ParkedQuery, 'sink' | 'term'>): Promise<PendingDelivery | undefined> {
    const [delivery] = await this.database.query<PendingDelivery>(
      `WITH candidate AS (
         SELECT event_id FROM delivery WHERE sink = $2 AND parked_until IS NOT NULL AND ${TERM_IS_ACTIVE}
         ORDER BY parked_until LIMIT 1 FOR UPDATE SKIP LOCKED
       ), turn AS (
         UPDATE sink_state SET probe_at = clock_timestamp() + make_interval(secs => ${PROBE_LEASE_SECONDS})
         WHERE sink = $2 AND ${CAN_BE_PROBED} AND EXISTS (SELECT FROM candidate)
         RETURNING sink
       ), due AS (SELECT event_id FROM candidate WHERE EXISTS (SELECT FROM turn)), ${TAKE_DUE}`,
      [term, sink],
    );
    return delivery;
  }

  /** Records the attempt of a delivery that was taken. A later replica repeats an attempt whose result is not recorded. */
  async recordResult(sink: string, result: AttemptResult): Promise<void> {
    const { eventId, attempts, description, at, verdict, outcome, status, response, durationMs } = result;
    await this.database.query(
      `WITH given AS (
         SELECT $4::text AS description, $6::timestamptz AS at, $7::text AS outcome, $8::integer AS status, $9::text AS response, $10::integer AS duration_ms
       ), recorded AS (
         UPDATE delivery SET attempts = $3, last_outcome = $4,
           delivered_at = CASE WHEN $5 AND NOT ${SKIPPED_OR_REPLACED} THEN at ELSE delivered_at END,
           parked_until = CASE WHEN $5 THEN NULL ELSE parked_until END
         FROM given WHERE sink = $1 AND event_id = $2 AND (parked_until IS NOT NULL OR ${SKIPPED_OR_REPLACED})
         RETURNING event_id, attempts, given.*
       )
       ${insertAttempts('$1')}`,
      [
        sink,
        eventId,
        attempts,
        description,
        verdict.kind === 'delivered',
        at,
        outcome,
        status ?? null,
        response ?? null,
        durationMs,
      ],
    );
  }

  /** @returns milliseconds until the first one is due, 0 or less when one is; undefined without parked deliveries, and for a disabled sink */
  async nextDueMs({ sink, acceptedMsAgo }: Omit<ParkedQuery, 'term'>): Promise<number | undefined> {
    const [row] = await this.database.query<{ wait: number | null }>(
      `SELECT (extract(epoch FROM min(CASE
         WHEN $2::double precision IS NOT NULL
           AND parked_until < clock_timestamp() + make_interval(secs => ${PARKED_RETRY_SECONDS} - $2::double precision / 1000)
         THEN least(parked_until, retry_from) ELSE parked_until END) - clock_timestamp()) * 1000)::double precision AS wait
       FROM delivery WHERE sink = $1 AND parked_until IS NOT NULL AND NOT ${SINK_IS_DISABLED}`,
      [sink, acceptedMsAgo ?? null],
    );
    return row?.wait ?? undefined;
  }

  /** The parked deliveries of all sinks, by sink and type. */
  async summarise(): Promise<ParkedSummary[]> {
    return this.database.query<ParkedSummary>(
      `SELECT sink, ${typeOf('parked')} AS type, count(*)::integer AS count, (array_agg(parked.subject ORDER BY parked_at DESC))[1] AS subject,
              (array_agg(last_outcome ORDER BY parked_at DESC))[1] AS "lastOutcome"
       FROM delivery AS parked JOIN ${archivedEventOf('parked')}
       WHERE parked_until IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2`,
    );
  }
}
