import { isUrgent, announcesState } from '@ssb/events';
import type { SqlSession } from '@ssb/postgres';
import type { DeliveryTiming } from '../../archive/domain/backlog.js';
import type { Mark } from '../../domain/marks.js';
import type { VerifiedEntry } from '../../archive/archive-entries.js';

/** Database channel that notifies every replica of new deliveries. */
export const DELIVERIES_CHANNEL = 'deliveries';

/** A new event with its marks and when it is delivered. */
export interface DecidedEntry {
  readonly entry: VerifiedEntry;
  readonly marks: readonly Mark[];
  readonly timing: DeliveryTiming;
}

/**
 * Adds the deliveries of new events to the outbox. Locks subjects in the same order as `DeliveryOutbox.recordResults`, which avoids deadlocks. An
 * urgent delivery does not wait for the next attempt of its subject, and a failing sink is probed with it at once.
 * @param holdMs delay of held deliveries
 */
export async function insertDeliveries(
  session: SqlSession,
  entries: readonly DecidedEntry[],
  holdMs = 0,
): Promise<void> {
  const deliveries = entries.flatMap(({ entry, timing }) => {
    if (timing === 'none') return [];
    const { event, sinks, deliveryKind: kind } = entry;
    const urgent = isUrgent(event.type);
    const state = announcesState(event.type);
    return sinks.map((sink) => ({ id: event.id, sink, kind, held: timing === 'held', urgent, state }));
  });
  if (deliveries.length === 0) return;
  await session.query(
    `WITH added AS (
       INSERT INTO delivery (event_id, sink, kind, held, urgent, state, subject, sequence, archive_offset)
       SELECT event_id, sink, kind, held::boolean, urgent::boolean, state::boolean, subject, sequence, archive_offset
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
         AS given (event_id, sink, kind, held, urgent, state) JOIN archive USING (event_id)
       RETURNING sink, subject, kind, held, urgent
     ), probed AS (
       UPDATE sink_state SET probe_at = clock_timestamp()
       FROM (SELECT DISTINCT sink FROM added WHERE urgent AND NOT held) AS awaited
       WHERE sink_state.sink = awaited.sink AND failing_since IS NOT NULL
     )
     INSERT INTO delivery_subject AS known (sink, subject, pending, urgent, alerts, next_attempt_at)
     SELECT sink, subject, count(*), count(*) FILTER (WHERE urgent), count(*) FILTER (WHERE kind = 'alert'),
            clock_timestamp() + CASE WHEN bool_and(held) THEN make_interval(secs => $7::double precision) ELSE '0' END
     FROM added GROUP BY sink, subject ORDER BY sink, subject
     ON CONFLICT (sink, subject) DO UPDATE SET pending = known.pending + excluded.pending,
       urgent = CASE known.pending WHEN 0 THEN 0 ELSE known.urgent END + excluded.urgent,
       alerts = CASE known.pending WHEN 0 THEN 0 ELSE known.alerts END + excluded.alerts,
       next_attempt_at = CASE
         WHEN known.pending = 0 THEN excluded.next_attempt_at
         WHEN excluded.urgent > 0 THEN least(known.next_attempt_at, excluded.next_attempt_at)
         ELSE known.next_attempt_at END`,
    [
      deliveries.map(({ id }) => id),
      deliveries.map(({ sink }) => sink),
      deliveries.map(({ kind }) => kind),
      deliveries.map(({ held }) => String(held)),
      deliveries.map(({ urgent }) => String(urgent)),
      deliveries.map(({ state }) => String(state)),
      holdMs / 1_000,
    ],
  );
}
