import { isUrgent, announcesState } from '@ssb/events';
import type { SqlSession } from '@ssb/postgres';
import type { DeliveryTiming } from '../../archive/domain/backlog.js';
import type { Mark } from '../../domain/marks.js';
import type { VerifiedEntry } from '../../archive/archive-entries.js';

/** Database channel that notifies every replica of new deliveries. */
export const DELIVERIES_CHANNEL = 'alerts';

/** A new event with its marks and when it is delivered. */
export interface DecidedEntry {
  readonly entry: VerifiedEntry;
  readonly marks: readonly Mark[];
  readonly timing: DeliveryTiming;
}

/**
 * Adds the deliveries of new events to the outbox. Locks subjects in the same order as `DeliveryOutbox.recordResults`, which avoids deadlocks. An
 * urgent one does not wait for the next attempt of its subject, and a failing sink is probed with it at once.
 * @param holdMs delay of held deliveries
 */
export async function insertDeliveries(
  session: SqlSession,
  entries: readonly DecidedEntry[],
  holdMs = 0,
): Promise<void> {
  const deliveries = entries.flatMap(({ entry, timing }) => {
    if (timing === 'none') return [];
    const { event, sinks, deliveryKind } = entry;
    const alert = deliveryKind === 'alert';
    const urgent = isUrgent(event.type);
    const state = announcesState(event.type);
    return sinks.map((sink) => ({ id: event.id, sink, alert, held: timing === 'held', urgent, state }));
  });
  if (deliveries.length === 0) return;
  await session.query(
    `WITH added AS (
       INSERT INTO alert_outbox (event_id, sink, alert, held, urgent, state, subject, sequence, position)
       SELECT event_id, sink, alert::boolean, held::boolean, urgent::boolean, state::boolean, subject, sequence, position
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
         AS given (event_id, sink, alert, held, urgent, state) JOIN archive USING (event_id)
       RETURNING sink, subject, alert, held, urgent
     ), probed AS (
       UPDATE sink_state SET probe_at = clock_timestamp()
       FROM (SELECT DISTINCT sink FROM added WHERE urgent AND NOT held) AS awaited
       WHERE sink_state.sink = awaited.sink AND failing_since IS NOT NULL
     )
     INSERT INTO alert_subject AS known (sink, subject, pending, urgent, alerts, next_attempt_at)
     SELECT sink, subject, count(*), count(*) FILTER (WHERE urgent), count(*) FILTER (WHERE alert),
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
      deliveries.map(({ alert }) => String(alert)),
      deliveries.map(({ held }) => String(held)),
      deliveries.map(({ urgent }) => String(urgent)),
      deliveries.map(({ state }) => String(state)),
      holdMs / 1_000,
    ],
  );
}

/**
 * Withdraws held deliveries of these subjects that an event of the batch has replaced. Attempted deliveries are not withdrawn.
 * @param newest the newest event of each subject
 * @param holdMs delay of the held delivery that replaces them
 */
export async function withdrawSuperseded(
  session: SqlSession,
  newest: readonly DecidedEntry[],
  holdMs: number,
): Promise<void> {
  if (newest.length === 0) return;
  await session.query(
    `WITH given AS (
       SELECT subject, sequence, event_id, held::boolean
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS given (subject, sequence, event_id, held)
     ), locked AS (
       SELECT known.sink, known.subject FROM alert_subject AS known JOIN given USING (subject)
       WHERE pending > 0 AND claimed_by IS NULL ORDER BY known.sink, known.subject FOR UPDATE OF known
     ), withdrawn AS (
       UPDATE alert_outbox AS alert SET delivered_at = clock_timestamp(), last_outcome = 'superseded', replaced_by = given.event_id
       FROM locked JOIN given USING (subject)
       WHERE alert.sink = locked.sink AND alert.subject = locked.subject AND alert.delivered_at IS NULL AND alert.held
         AND alert.sequence <= given.sequence AND alert.event_id <> given.event_id
       RETURNING alert.sink, alert.subject, alert.alert, alert.urgent
     ), counted AS (
       SELECT sink, subject, count(*) AS withdrawn, count(*) FILTER (WHERE alert) AS alerts, count(*) FILTER (WHERE urgent) AS urgent
       FROM withdrawn GROUP BY sink, subject
     )
     UPDATE alert_subject AS known SET pending = known.pending - counted.withdrawn,
       alerts = greatest(0, known.alerts - counted.alerts), urgent = greatest(0, known.urgent - counted.urgent),
       next_attempt_at = clock_timestamp() + CASE WHEN held THEN make_interval(secs => $5::double precision) ELSE '0' END
     FROM counted JOIN given USING (subject)
     WHERE known.sink = counted.sink AND known.subject = counted.subject`,
    [
      newest.map(({ entry }) => entry.event.subject),
      newest.map(({ entry }) => entry.event.sequence),
      newest.map(({ entry }) => entry.event.id),
      newest.map(({ timing }) => String(timing === 'held')),
      holdMs / 1_000,
    ],
  );
}
