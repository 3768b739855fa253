import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@ssb/postgres';
import { DATABASE } from '../../database/database-options.js';
import { setSinkDisabled, type Disabling } from '../requests/disabled-sinks.js';
import type { DeliveryPriority } from '../domain/delivery-order.js';
import { bringRetriesForward } from './bring-forward.js';
import { DELIVERIES_CHANNEL } from './pending-delivery.js';
import { TERM_IS_ACTIVE } from '../../replica/replica-lease.js';

/** How long a probe in progress keeps others from probing; a crashed probe is then repeated. */
export const PROBE_LEASE_SECONDS = 15;

/** It fails or is disabled, so none of its deliveries is claimed. $2 is the sink. */
export const SINK_IS_CLOSED =
  'EXISTS (SELECT 1 FROM sink_state WHERE sink = $2 AND (failing_since IS NOT NULL OR disabled_at IS NOT NULL))';

/** $1 is the sink. */
export const SINK_IS_DISABLED =
  'EXISTS (SELECT 1 FROM sink_state WHERE sink = $1 AND disabled_at IS NOT NULL)';

/** A row of `sink_state`. */
export const CAN_BE_PROBED =
  'failing_since IS NOT NULL AND disabled_at IS NULL AND probe_at <= clock_timestamp()';

/** A sink that accepts no delivery. */
export interface FailingSink {
  readonly sink: string;
  readonly since: Date;
  readonly seconds: number;
  readonly lastOutcome: string;
}

/** When a sink can be attempted next. */
export interface NextAttempt {
  /** Milliseconds until an unclaimed subject is due, 0 or less when one is; undefined without pending deliveries. */
  readonly dueMs: number | undefined;
  /** Milliseconds until the next probe; undefined unless the sink fails. */
  readonly probeMs: number | undefined;
  /** The sink is disabled: nothing is attempted, whatever is due. */
  readonly disabled: boolean;
}

/** A sink that a person or the subscriber has disabled. */
export interface DisabledSink {
  readonly sink: string;
  readonly since: Date;
  readonly by: string;
  readonly reason: string | null;
}

/** The failing sinks, which all replicas know. A sink that accepts deliveries needs no row, and no write. */
@Injectable()
export class SinkStates {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  /** Records the failure of a sink, or a failed probe. @param probeMs until the next probe @returns failed attempts since its beginning */
  async recordFailure(
    sink: string,
    term: number,
    {
      failingMs,
      probeMs,
      outcome,
    }: { readonly failingMs: number; readonly probeMs: number; readonly outcome: string },
  ): Promise<number> {
    const [row] = await this.database.query<{ failures: number }>(
      `INSERT INTO sink_state AS known (sink, failing_since, failures, last_outcome, probe_at)
       SELECT $2, clock_timestamp() - make_interval(secs => $3::double precision), 1, $5,
              clock_timestamp() + make_interval(secs => $4::double precision)
       WHERE ${TERM_IS_ACTIVE}
       ON CONFLICT (sink) DO UPDATE SET failing_since = coalesce(known.failing_since, excluded.failing_since),
         failures = CASE WHEN known.failing_since IS NULL THEN 0 ELSE known.failures END + 1,
         last_outcome = excluded.last_outcome, probe_at = excluded.probe_at
       RETURNING failures`,
      [term, sink, failingMs / 1_000, probeMs / 1_000, outcome],
    );
    return row?.failures ?? 1;
  }

  /** The sink accepted a delivery: those that wait for a retry are due, and every replica is notified. */
  async recordRecovery(sink: string): Promise<void> {
    await this.database.transaction(async (session) => {
      await session.query('UPDATE sink_state SET failing_since = NULL, failures = 0 WHERE sink = $1', [sink]);
      await bringRetriesForward(session, sink);
      await session.notify(DELIVERIES_CHANNEL, '');
    });
  }

  /** @param lowest considers subjects of this priority and of more urgent ones */
  async nextAttempt(sink: string, lowest: DeliveryPriority): Promise<NextAttempt> {
    const [row] = await this.database.query<{
      due: number | null;
      probe: number | null;
      disabled: boolean;
    }>(
      `SELECT (extract(epoch FROM min(first.next_attempt_at) - clock_timestamp()) * 1000)::double precision AS due,
              (SELECT (extract(epoch FROM probe_at - clock_timestamp()) * 1000)::double precision
               FROM sink_state WHERE sink = $1 AND failing_since IS NOT NULL) AS probe,
              ${SINK_IS_DISABLED} AS disabled
       FROM unnest('{0,1,2,3}'::smallint[]) AS each (priority) CROSS JOIN LATERAL (
         SELECT next_attempt_at FROM delivery_subject
         WHERE sink = $1 AND delivery_subject.priority = each.priority AND pending > 0 AND claimed_by IS NULL
         ORDER BY next_attempt_at LIMIT 1
       ) AS first WHERE each.priority <= $2`,
      [sink, lowest],
    );
    const { due, probe, disabled = false } = row ?? {};
    return { dueMs: due ?? undefined, probeMs: probe ?? undefined, disabled };
  }

  /**
   * Takes the next attempt of a sink with a rate. The intervals are counted by the clock of the database.
   * @returns 0, or the milliseconds until one may start
   */
  async takeAttempt(sink: string, intervalMs: number): Promise<number> {
    const [row] = await this.database.query<{ wait: number | null }>(
      `WITH taken AS (
         INSERT INTO sink_state AS known (sink, next_start_at) VALUES ($1, clock_timestamp() + make_interval(secs => $2::double precision))
         ON CONFLICT (sink) DO UPDATE SET next_start_at = excluded.next_start_at
         WHERE coalesce(known.next_start_at <= clock_timestamp(), true) RETURNING sink
       )
       SELECT CASE WHEN EXISTS (SELECT FROM taken) THEN 0 ELSE
         (SELECT extract(epoch FROM next_start_at - clock_timestamp()) * 1000 FROM sink_state WHERE sink = $1) END::double precision AS wait`,
      [sink, intervalMs / 1_000],
    );
    // A concurrent first attempt is not visible yet.
    return row?.wait == null ? intervalMs : row.wait === 0 ? 0 : Math.max(1, row.wait);
  }

  async listFailing(): Promise<FailingSink[]> {
    return this.database.query<FailingSink>(
      `SELECT sink, failing_since AS since, last_outcome AS "lastOutcome",
              extract(epoch FROM clock_timestamp() - failing_since)::double precision AS seconds
       FROM sink_state WHERE failing_since IS NOT NULL AND disabled_at IS NULL ORDER BY sink`,
    );
  }

  async listDisabled(): Promise<DisabledSink[]> {
    return this.database.query<DisabledSink>(
      `SELECT sink, disabled_at AS since, disabled_by AS by, disabled_reason AS reason
       FROM sink_state WHERE disabled_at IS NOT NULL ORDER BY sink`,
    );
  }

  /** As `setSinkDisabled`. */
  async disable(sink: string, disabling: Disabling): Promise<boolean> {
    return setSinkDisabled(this.database, sink, disabling);
  }

  /** Ends the failure of a sink without pending and parked deliveries: nothing can probe it. */
  async forgetIdle(): Promise<void> {
    await this.database.query(
      `UPDATE sink_state SET failing_since = NULL, failures = 0 WHERE failing_since IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM delivery_subject WHERE delivery_subject.sink = sink_state.sink AND pending > 0)
         AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.sink = sink_state.sink AND parked_until IS NOT NULL)`,
    );
  }
}
