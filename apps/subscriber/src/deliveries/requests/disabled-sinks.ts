import type { SqlSession } from '@ssb/postgres';
import { DELIVERIES_CHANNEL } from '../outbox/pending-delivery.js';
import { bringRetriesForward } from '../outbox/bring-forward.js';

/** Who disables a sink, and why. */
export interface Disabling {
  readonly by: string;
  readonly reason: string | undefined;
}

/**
 * Disables a sink, or enables it and wakes the replicas. A disabled sink keeps its deliveries. It is not attempted, except with the few
 * deliveries that a replica has claimed before.
 * @param disabling undefined: the sink is enabled
 * @returns whether that changed anything
 */
export async function setSinkDisabled(
  session: SqlSession,
  sink: string,
  disabling: Disabling | undefined,
): Promise<boolean> {
  if (disabling === undefined) return enable(session, sink);
  const rows = await session.query(
    `INSERT INTO sink_state AS known (sink, disabled_at, disabled_by, disabled_reason) VALUES ($1, clock_timestamp(), $2, $3)
     ON CONFLICT (sink) DO UPDATE SET failing_since = NULL, failures = 0, disabled_at = excluded.disabled_at,
       disabled_by = excluded.disabled_by, disabled_reason = excluded.disabled_reason
     WHERE known.disabled_at IS NULL RETURNING sink`,
    [sink, disabling.by, disabling.reason ?? null],
  );
  return rows.length > 0;
}

/** An attempt that ended while the sink was disabled may have recorded a failure. */
async function enable(session: SqlSession, sink: string): Promise<boolean> {
  const rows = await session.query(
    `UPDATE sink_state SET failing_since = NULL, failures = 0, disabled_at = NULL, disabled_by = NULL, disabled_reason = NULL
     WHERE sink = $1 AND disabled_at IS NOT NULL RETURNING sink`,
    [sink],
  );
  if (rows.length === 0) return false;
  await bringRetriesForward(session, sink);
  // What the sink refused before, such as with status 410, is due as well.
  await session.query(
    'UPDATE delivery SET parked_until = clock_timestamp() WHERE sink = $1 AND parked_until > clock_timestamp()',
    [sink],
  );
  await session.notify(DELIVERIES_CHANNEL, '');
  return true;
}
