import { OPERATIONS_SINK, type OperatorConfig } from '@ssb/config';
import type { Database } from '@ssb/postgres';

export interface ListedSink extends StoredSink {
  /** Null without a usable CONFIG_FILE. */
  readonly inConfigFile: boolean | null;
}

interface StoredSink {
  readonly sink: string;
  readonly state: 'delivering' | 'failing' | 'disabled';
  readonly pending: number;
  readonly parked: number;
  readonly lastOutcome: string | null;
  readonly failingSince: Date | null;
  readonly disabledAt: Date | null;
  readonly disabledBy: string | null;
  readonly disabledReason: string | null;
}

/**
 * Every sink that has had deliveries, or is disabled, by name.
 * @param config the file of the subscriber; undefined when it is unknown
 */
export async function listSinks(database: Database, config?: OperatorConfig): Promise<ListedSink[]> {
  const configured = config && new Set([...config.alerts.sinks.map(({ name }) => name), OPERATIONS_SINK]);
  const sinks = await database.query<StoredSink>(
    `SELECT sink,
            CASE WHEN disabled_at IS NOT NULL THEN 'disabled' WHEN failing_since IS NOT NULL THEN 'failing' ELSE 'delivering' END AS state,
            coalesce(pending, 0) AS pending, coalesce(parked, 0) AS parked, NULLIF(last_outcome, '') AS "lastOutcome",
            failing_since AS "failingSince", disabled_at AS "disabledAt", disabled_by AS "disabledBy", disabled_reason AS "disabledReason"
     FROM sink_state
     FULL JOIN (SELECT sink, sum(pending) AS pending FROM delivery_subject GROUP BY sink) AS pending USING (sink)
     LEFT JOIN (SELECT sink, count(*) AS parked FROM delivery WHERE parked_until IS NOT NULL GROUP BY sink) AS parked USING (sink)
     ORDER BY sink`,
  );
  return sinks.map((each) => ({ ...each, inConfigFile: configured?.has(each.sink) ?? null }));
}
