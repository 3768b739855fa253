import type { Database, SqlSession } from '@ssb/postgres';
import { ARCHIVED_DELIVERIES, DELIVERIES_CHANNEL } from '../outbox/pending-delivery.js';
import { countDeliveries, subtractCounts } from '../outbox/subject-counts.js';
import { walkArchive, type BatchResult, type BatchRun } from './archive-walk.js';
import {
  DELIVERY_IS_SELECTED,
  deliveryParameters,
  selectedOffsets,
  type DeliverySelection,
} from './delivery-selection.js';
import { countSelected, lockSubjects } from './selected-deliveries.js';

const CAN_BE_SKIPPED = '(delivered_at IS NULL OR parked_until IS NOT NULL)';

/** The sinks that have had deliveries, configured or not. */
export async function listDeliverySinks(database: Database): Promise<string[]> {
  const rows = await database.query<{ sink: string }>(
    'SELECT DISTINCT sink FROM delivery_subject ORDER BY sink',
  );
  return rows.map(({ sink }) => sink);
}

/**
 * Ends pending and parked deliveries without an attempt. One that is attempted meanwhile may reach its sink nevertheless: it stays skipped,
 * and the log of attempts shows it.
 */
export function skipDeliveries(
  database: Database,
  selection: DeliverySelection,
  run: BatchRun,
): Promise<BatchResult> {
  const skippable = { ...selection, states: selection.states ?? (['pending', 'parked'] as const) };
  const parameters = deliveryParameters(skippable);
  return walkArchive(
    database,
    {
      offsets: selectedOffsets(skippable),
      count: countSelected(skippable, CAN_BE_SKIPPED),
      change: (session, offsets) => skip(session, [...offsets, ...parameters]),
    },
    run,
  );
}

/** A subject whose attempted delivery is skipped does not wait for its retry. */
async function skip(session: SqlSession, parameters: ReturnType<typeof deliveryParameters>): Promise<number> {
  await lockSubjects(session, CAN_BE_SKIPPED, parameters);
  const [row] = await session.query<{ changed: number }>(
    `WITH ended AS (
       SELECT delivery.event_id, delivery.sink, delivered_at IS NULL AS was_pending FROM ${ARCHIVED_DELIVERIES}
       WHERE ${DELIVERY_IS_SELECTED} AND ${CAN_BE_SKIPPED} FOR UPDATE OF delivery
     ), changed AS (
       UPDATE delivery SET skipped = true, delivered_at = clock_timestamp(), parked_at = NULL, parked_until = NULL, retry_from = NULL
       FROM ended WHERE delivery.event_id = ended.event_id AND delivery.sink = ended.sink
       RETURNING delivery.sink, subject, kind, urgent, replayed, attempts, was_pending
     ), counted AS (
       SELECT sink, subject, bool_or(attempts > 0) AS was_attempted, ${countDeliveries()} FROM changed WHERE was_pending GROUP BY sink, subject
     ), updated AS (
       UPDATE delivery_subject AS known SET ${subtractCounts('counted')},
         next_attempt_at = CASE WHEN was_attempted THEN least(next_attempt_at, clock_timestamp()) ELSE next_attempt_at END
       FROM counted WHERE known.sink = counted.sink AND known.subject = counted.subject
     )
     SELECT count(*)::integer AS changed FROM changed`,
    parameters,
  );
  const changed = row?.changed ?? 0;
  if (changed > 0) await session.notify(DELIVERIES_CHANNEL, '');
  return changed;
}
