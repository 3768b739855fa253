import { sinkSubject } from '@ssb/events';
import type { Database } from '@ssb/postgres';
import type { DeliveryPriority } from '../domain/delivery-order.js';
import { TERM_IS_ACTIVE } from '../../replica/replica-lease.js';
import {
  archivedEventOf,
  pendingColumns,
  type ClaimedSubject,
  type PendingDelivery,
} from './pending-delivery.js';
import { countDeliveries, subtractCounts } from './subject-counts.js';

export interface ClaimedRow {
  subject: string;
  pending: number;
  urgent: number;
  priority: DeliveryPriority;
}

/*
 * In every statement about claims, $1 is the fencing token of the replica's term and $2 the sink.
 */

/** Like `claimed_by = $1`, but avoids the index of claims, which has many outdated entries. */
export const CLAIMED_HERE = 'claimed_by IS NOT DISTINCT FROM $1';

/** The subject `known` is due and not claimed by another replica. $3: the subjects in process. */
export const CAN_BE_CLAIMED = `known.sink = $2 AND pending > 0 AND next_attempt_at <= statement_timestamp() AND subject <> ALL ($3::text[])
  AND (claimed_by IS NULL OR claimed_by = $1) AND ${TERM_IS_ACTIVE}`;

/** Claims the subjects of `due`. */
export const CLAIM_DUE = `claimed AS (
    UPDATE delivery_subject SET claimed_by = $1 FROM due
    WHERE sink = $2 AND delivery_subject.subject = due.subject RETURNING delivery_subject.*
  )
  SELECT subject, pending, urgent, priority FROM claimed ORDER BY priority, next_attempt_at, subject`;

/** Which subjects can be claimed. */
export interface ProbeQuery {
  readonly sink: string;
  /** Fencing token of the replica's term. */
  readonly term: number;
  /** Subjects that this term already processes. Other subjects of the term were claimed by a lost response and are returned again. */
  readonly subjectsInProcess: readonly string[];
}

export interface ClaimQuery extends ProbeQuery {
  /** Subjects of this priority and of more urgent ones. */
  readonly lowest: DeliveryPriority;
  /** Maximum number of subjects. */
  readonly subjects: number;
  /** Maximum number of deliveries per subject. */
  readonly perSubject: number;
}

/** Which deliveries of claimed subjects are read. */
interface ReadQuery {
  readonly sink: string;
  /** Fencing token of the replica's term. */
  readonly term: number;
  /** Maximum number of deliveries per subject. */
  readonly perSubject: number;
}

/** Reads the deliveries of subjects that a replica has claimed, after it replaced older states. */
export class ClaimedSubjects {
  constructor(private readonly database: Pick<Database, 'query' | 'transaction'>) {}

  async read(query: ReadQuery, claimed: readonly ClaimedRow[]): Promise<ClaimedSubject[]> {
    if (claimed.length === 0) return [];
    const several = claimed.filter(({ pending }) => pending > 1).map(({ subject }) => subject);
    const replaced =
      several.length > 0 ? await this.replaceStates(query, several) : new Map<string, number>();
    // A separate statement: another replica may have delivered what the first statement still saw as pending.
    const ofDigests = claimed.filter(({ subject }) => subject === sinkSubject(query.sink));
    const others = claimed.filter((each) => !ofDigests.includes(each));
    // A digest may have the bytes of many events, so one is in memory at a time.
    const pending = [
      ...(await this.findPending(query, others)),
      ...(await this.findPending({ ...query, perSubject: 1 }, ofDigests)),
    ];
    const subjects = claimed.map(({ subject, priority }) => ({
      subject,
      priority,
      deliveries: pending.filter((delivery) => delivery.subject === subject),
      replaced: replaced.get(subject) ?? 0,
    }));
    const empty = subjects.filter(({ deliveries }) => deliveries.length === 0);
    if (empty.length > 0)
      await this.releaseEmpty(
        query,
        empty.map(({ subject }) => subject),
      );
    return subjects.filter(({ deliveries }) => deliveries.length > 0);
  }

  /** Records older pending states of these claimed subjects as replaced by the newest one, except urgent ones. @returns how many, by subject */
  private async replaceStates(
    { sink, term }: Omit<ReadQuery, 'perSubject'>,
    subjects: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.query<{ subject: string; replaced: number }>(
      `WITH claimed AS (
         SELECT subject FROM delivery_subject
         WHERE sink = $2 AND subject = ANY ($3::text[]) AND ${CLAIMED_HERE} AND ${TERM_IS_ACTIVE} ORDER BY subject FOR UPDATE
       ), newest AS (
         SELECT claimed.subject, latest.* FROM claimed CROSS JOIN LATERAL (
           SELECT event_id, sequence, archive_offset FROM delivery
           WHERE sink = $2 AND delivery.subject = claimed.subject AND delivered_at IS NULL AND state
           ORDER BY sequence DESC, archive_offset DESC LIMIT 1
         ) AS latest
       ), replaced AS (
         UPDATE delivery AS older SET delivered_at = clock_timestamp(), last_outcome = 'replaced', replaced_by = newest.event_id
         FROM newest
         WHERE older.sink = $2 AND older.subject = newest.subject AND older.delivered_at IS NULL AND older.state AND NOT older.urgent
           AND (older.sequence, older.archive_offset) < (newest.sequence, newest.archive_offset)
         RETURNING older.subject, older.kind, older.urgent, older.replayed
       ), counted AS (
         SELECT subject, ${countDeliveries()} FROM replaced GROUP BY subject
       )
       UPDATE delivery_subject AS known SET ${subtractCounts('counted')}
       FROM counted WHERE known.sink = $2 AND known.subject = counted.subject
       RETURNING known.subject, counted.pending AS replaced`,
      [term, sink, subjects],
    );
    return new Map(rows.map(({ subject, replaced }) => [subject, replaced]));
  }

  /**
   * Releases subjects without a delivery and counts their deliveries again: some were deleted manually, or were withdrawn, skipped or added after the
   * claim. A wrong count would have them claimed repeatedly, or never.
   */
  private async releaseEmpty(
    { sink, term }: Omit<ReadQuery, 'perSubject'>,
    subjects: readonly string[],
  ): Promise<void> {
    await this.database.transaction(async (session) => {
      const locked = await session.query<{ subject: string }>(
        `SELECT subject FROM delivery_subject
         WHERE sink = $2 AND subject = ANY ($3::text[]) AND ${CLAIMED_HERE} AND ${TERM_IS_ACTIVE} ORDER BY subject FOR UPDATE`,
        [term, sink, subjects],
      );
      // Every change of deliveries locks their subject, so this statement sees the deliveries that the counts have.
      await session.query(
        `UPDATE delivery_subject AS known SET claimed_by = NULL, pending = found.pending, urgent = found.urgent, alerts = found.alerts,
           replayed = found.replayed
         FROM (
           SELECT given.subject, ${countDeliveries('event_id IS NOT NULL')} FROM unnest($2::text[]) AS given (subject)
             LEFT JOIN delivery ON sink = $1 AND delivery.subject = given.subject AND delivered_at IS NULL
           GROUP BY given.subject
         ) AS found
         WHERE known.sink = $1 AND known.subject = found.subject`,
        [sink, locked.map(({ subject }) => subject)],
      );
    });
  }

  /** An urgent delivery that was added after the replacement is left for the next claim, so that it does not overtake an older state. */
  private async findPending(
    { sink, term, perSubject }: ReadQuery,
    subjects: readonly ClaimedRow[],
  ): Promise<PendingDelivery[]> {
    if (subjects.length === 0) return [];
    return this.database.query<PendingDelivery>(
      `SELECT ${pendingColumns('head')}
       FROM unnest($4::text[], $5::text[]::boolean[]) WITH ORDINALITY AS claimed (subject, has_urgent, place) CROSS JOIN LATERAL (
         SELECT * FROM (
           (SELECT * FROM delivery
            WHERE has_urgent AND sink = $2 AND delivery.subject = claimed.subject AND delivered_at IS NULL AND state AND urgent
              AND NOT EXISTS (
                SELECT FROM delivery AS older
                WHERE older.sink = $2 AND older.subject = claimed.subject AND older.delivered_at IS NULL AND older.state AND NOT older.urgent
                  AND (older.sequence, older.archive_offset) < (delivery.sequence, delivery.archive_offset)
              )
            ORDER BY sequence, archive_offset LIMIT $3)
           UNION ALL
           (SELECT * FROM delivery
            WHERE sink = $2 AND delivery.subject = claimed.subject AND delivered_at IS NULL AND NOT (has_urgent AND urgent)
            ORDER BY sequence, archive_offset LIMIT $3)
         ) AS both_kinds ORDER BY (has_urgent AND urgent) DESC, sequence, archive_offset LIMIT $3
       ) AS head JOIN ${archivedEventOf('head')}
       WHERE ${TERM_IS_ACTIVE}
       ORDER BY place, (has_urgent AND head.urgent) DESC, head.sequence, head.archive_offset, head.created_at`,
      [
        term,
        sink,
        perSubject,
        subjects.map(({ subject }) => subject),
        subjects.map(({ urgent }) => String(urgent > 0)),
      ],
    );
  }
}
