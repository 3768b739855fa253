import type { Database } from '@ssb/postgres';
import {
  CAN_BE_CLAIMED,
  CLAIM_DUE,
  type ClaimedRow,
  type ClaimedSubjects,
  type ProbeQuery,
} from './claimed-subjects.js';
import type { ClaimedSubject } from './pending-delivery.js';
import { bringLongWaitsForward } from './bring-forward.js';
import { CAN_BE_PROBED, PROBE_LEASE_SECONDS } from './sink-states.js';

/** Attempts of the delivery of the subject `known` that a probe would make. @param kind SQL, which deliveries come first */
const firstAttempts = (kind = ''): string => `(SELECT attempts FROM delivery AS head
  WHERE head.sink = $2 AND head.subject = known.subject AND delivered_at IS NULL ${kind} ORDER BY sequence, archive_offset LIMIT 1)`;

/**
 * Claims one subject of a failing sink when a probe is due, for all replicas: a new urgent delivery first, then a new one of a subject with
 * an alert, then what waits longest, so that one delivery which the sink cannot process does not hide its recovery.
 */
export async function claimProbe(
  database: Database,
  subjects: ClaimedSubjects,
  query: ProbeQuery,
): Promise<ClaimedSubject[]> {
  const { sink, term, subjectsInProcess } = query;
  await bringLongWaitsForward(database, sink);
  const claimed = await database.query<ClaimedRow>(
    `WITH candidate AS (
       SELECT subject FROM (
         (SELECT subject, 0 AS place, next_attempt_at FROM delivery_subject AS known
          WHERE ${CAN_BE_CLAIMED} AND priority = 0 AND ${firstAttempts('AND state AND urgent')} = 0
          ORDER BY next_attempt_at LIMIT 1)
         UNION ALL
         (SELECT subject, 1, next_attempt_at FROM delivery_subject AS known
          WHERE ${CAN_BE_CLAIMED} AND priority = 1 AND ${firstAttempts()} = 0
          ORDER BY next_attempt_at LIMIT 1)
         UNION ALL
         (SELECT first.subject, 2, first.next_attempt_at FROM unnest('{0,1,2,3}'::smallint[]) AS each (priority) CROSS JOIN LATERAL (
            SELECT subject, next_attempt_at FROM delivery_subject AS known WHERE ${CAN_BE_CLAIMED} AND known.priority = each.priority
            ORDER BY next_attempt_at LIMIT 1) AS first)
       ) AS waiting ORDER BY place, next_attempt_at LIMIT 1
     ), turn AS (
       UPDATE sink_state SET probe_at = clock_timestamp() + make_interval(secs => ${PROBE_LEASE_SECONDS})
       WHERE sink = $2 AND ${CAN_BE_PROBED} AND EXISTS (SELECT FROM candidate)
       RETURNING sink
     ), due AS (
       SELECT subject FROM delivery_subject
       WHERE sink = $2 AND subject IN (SELECT subject FROM candidate) AND EXISTS (SELECT FROM turn) FOR UPDATE SKIP LOCKED
     ), ${CLAIM_DUE}`,
    [term, sink, subjectsInProcess],
  );
  return subjects.read({ ...query, perSubject: 1 }, claimed);
}
