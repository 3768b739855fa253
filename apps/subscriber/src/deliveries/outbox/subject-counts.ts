/*
 * Each row of `delivery_subject` counts the pending deliveries of a subject to a sink: all, urgent ones, alerts with their reminders and escalations, and replayed ones. They decide
 * its priority. A transaction that changes pending deliveries changes the counts.
 */

/** The columns of the counts, of rows of `delivery`. @param condition SQL, which rows count */
export const countDeliveries = (condition = 'true'): string =>
  `count(*) FILTER (WHERE ${condition}) AS pending, count(*) FILTER (WHERE ${condition} AND urgent) AS urgent,
   count(*) FILTER (WHERE ${condition} AND kind IN ('alert', 'reminder', 'escalation')) AS alerts, count(*) FILTER (WHERE ${condition} AND replayed) AS replayed`;

/** Assignments of `delivery_subject AS known`: subtracts the counts of the row of this alias. */
export const subtractCounts = (ended: string): string =>
  `pending = known.pending - coalesce(${ended}.pending, 0), urgent = greatest(0, known.urgent - coalesce(${ended}.urgent, 0)),
   alerts = greatest(0, known.alerts - coalesce(${ended}.alerts, 0)), replayed = greatest(0, known.replayed - coalesce(${ended}.replayed, 0))`;

/**
 * Adds the rows of `added` to the counts. An urgent delivery does not wait for the next attempt of its subject. A held one may be withdrawn, so it does
 * not count for `minInterval`.
 * @param holdMs SQL, delay of a subject whose added deliveries are all held
 */
export const addCounts = (holdMs: string): string =>
  `INSERT INTO delivery_subject AS known (sink, subject, pending, urgent, alerts, replayed, next_attempt_at, added_at)
   SELECT sink, subject, ${countDeliveries()},
          clock_timestamp() + CASE WHEN bool_and(held) THEN make_interval(secs => ${holdMs}::double precision / 1000) ELSE '0' END,
          CASE WHEN NOT bool_and(held) THEN clock_timestamp() END
   FROM added GROUP BY sink, subject ORDER BY sink, subject
   ON CONFLICT (sink, subject) DO UPDATE SET pending = known.pending + excluded.pending, added_at = coalesce(excluded.added_at, known.added_at),
     urgent = CASE known.pending WHEN 0 THEN 0 ELSE known.urgent END + excluded.urgent,
     alerts = CASE known.pending WHEN 0 THEN 0 ELSE known.alerts END + excluded.alerts,
     replayed = CASE known.pending WHEN 0 THEN 0 ELSE known.replayed END + excluded.replayed,
     next_attempt_at = CASE
       WHEN known.pending = 0 THEN excluded.next_attempt_at
       WHEN excluded.urgent > 0 THEN least(known.next_attempt_at, excluded.next_attempt_at)
       ELSE known.next_attempt_at END`;
