import { HEARTBEAT_TYPE } from '@ssb/config';
import type { Database } from '@ssb/postgres';
import { DELIVERIES_CHANNEL } from '../outbox/pending-delivery.js';
import { addCounts } from '../outbox/subject-counts.js';
import { walkArchive, type BatchResult, type BatchRun } from './archive-walk.js';
import {
  archivedOffsets,
  EVENT_IS_SELECTED,
  eventParameters,
  type EventSelection,
} from './delivery-selection.js';

export interface ReplaySelection extends EventSelection {
  readonly sink: string;
}

/** $7 is the sink, $8 the type of heartbeats. */
const CAN_BE_REPLAYED = `type <> $8 AND NOT EXISTS (SELECT FROM delivery AS known WHERE known.event_id = archive.event_id AND known.sink = $7)`;

/**
 * Adds deliveries of archived events to a sink that has none for them, in the order of the archive. Each is a notice with the mark `replayed`,
 * also of an event that opened a problem. Severity and problem are those of its delivery to another sink; without one, the severity is info.
 */
export function replayEvents(
  database: Database,
  { sink, ...selection }: ReplaySelection,
  run: BatchRun,
): Promise<BatchResult> {
  const parameters = [...eventParameters(selection), sink, HEARTBEAT_TYPE];
  return walkArchive(
    database,
    {
      offsets: archivedOffsets(selection),
      count: {
        sql: `SELECT count(*)::integer AS count FROM archive WHERE ${EVENT_IS_SELECTED} AND ${CAN_BE_REPLAYED}`,
        parameters,
      },
      change: async (session, offsets) => {
        const [row] = await session.query<{ changed: number }>(
          `WITH added AS (
             INSERT INTO delivery (event_id, sink, kind, severity, problem_id, problem_state, replayed, subject, sequence, archive_offset)
             SELECT archive.event_id, $7, 'notice', coalesce(first.severity, 'info'), first.problem_id, first.problem_state, true, subject,
                    sequence, archive_offset
             FROM archive LEFT JOIN LATERAL (
               SELECT severity, problem_id, problem_state FROM delivery AS other WHERE other.event_id = archive.event_id ORDER BY sink LIMIT 1
             ) AS first ON true
             WHERE ${EVENT_IS_SELECTED} AND ${CAN_BE_REPLAYED} ORDER BY archive.archive_offset
             ON CONFLICT DO NOTHING RETURNING sink, subject, kind, urgent, held, replayed
           ), counted AS (${addCounts('0')})
           SELECT count(*)::integer AS changed FROM added`,
          [...offsets, ...parameters],
        );
        const changed = row?.changed ?? 0;
        if (changed > 0) await session.notify(DELIVERIES_CHANNEL, '');
        return changed;
      },
    },
    run,
  );
}
