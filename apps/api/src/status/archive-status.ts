import { Injectable } from '@nestjs/common';
import { Database } from '@ssb/postgres';
import { presentMembers } from '../database/present-members.js';
import { countBySink, withoutDetail } from '../sinks/sink-backlog.js';
import { NEWEST_MARGIN } from '../positions/newest-margin.js';
import type {
  ArchiveStatus,
  ClosedMarginStatus,
  HeartbeatStatus,
  OpenProblemsStatus,
  QuarantineStatus,
  ReplicaStatus,
  SinkStatus,
  WatermarkStatus,
} from './archive-status-dto.js';

/** Counting further rows would read a whole table. */
const MAX_COUNTED = 10_000;

/** Reads what the database knows of the bridge. */
@Injectable()
export class ArchiveStatusReader {
  constructor(private readonly database: Database) {}

  async read(): Promise<ArchiveStatus> {
    const [replicas, heartbeats, watermarks, openProblems, closedMargins, sinks, quarantine, unreadEvents] =
      await Promise.all([
        this.database.query<ReplicaStatus>(
          `SELECT name, EXISTS (SELECT 1 FROM reader_lease WHERE holder = replica.fencing_token) AS "isReader"
         FROM replica WHERE expires_at > clock_timestamp() ORDER BY name LIMIT 100`,
        ),
        this.database.query<HeartbeatStatus>(
          `SELECT participant, channel, heartbeat_at AS at, ${ageOf('heartbeat_at')} AS "ageSeconds"
         FROM heartbeat ORDER BY heartbeat_at, participant, channel LIMIT 1000`,
        ),
        this.database.query<WatermarkStatus>(
          `SELECT channel, max(complete_until) AS "completeUntil", ${ageOf('max(complete_until)')} AS "ageSeconds"
         FROM channel_watermark GROUP BY channel ORDER BY 2, channel LIMIT 1000`,
        ),
        this.readProblems(),
        this.readClosedMargins(),
        this.readSinks(),
        this.readQuarantine(),
        this.countUnreadEvents(),
      ]);
    return {
      replicas,
      heartbeats,
      watermarks,
      openProblems,
      ...(closedMargins.length > 0 && { closedMargins }),
      sinks,
      quarantine,
      unreadEvents,
    };
  }

  private async readProblems(): Promise<OpenProblemsStatus> {
    const [row] = await this.database.query<
      Omit<OpenProblemsStatus, 'disabledSinkWarnings'> & { readonly disabledSinkWarnings: number | null }
    >(
      `SELECT count(*) FILTER (WHERE severity = 'critical') AS critical, count(*) FILTER (WHERE severity = 'warning') AS warning,
              count(*) FILTER (WHERE severity = 'info') AS info,
              count(*) FILTER (WHERE severity = 'critical' AND state = 'open') AS "unacknowledgedCritical",
              nullif(count(*) FILTER (WHERE severity = 'warning' AND kind = 'bridge-fault' AND key IN (
                SELECT '*/bridge/subscriber/sink-disabled/' || sink FROM sink_state WHERE disabled_at IS NOT NULL)), 0) AS "disabledSinkWarnings"
       FROM problem WHERE ended_at IS NULL`,
    );
    return row ? presentMembers(row) : { critical: 0, warning: 0, info: 0, unacknowledgedCritical: 0 };
  }

  /** A problem that ended before the newest margin event is not the problem of that event, which can have opened none. */
  private async readClosedMargins(): Promise<readonly ClosedMarginStatus[]> {
    return this.database.query<ClosedMarginStatus>(
      `WITH unwatched AS MATERIALIZED (
         SELECT code, margin->>'level' AS level, archived_at FROM participant CROSS JOIN LATERAL (${NEWEST_MARGIN}) AS announced
         WHERE margin->>'level' <> 'OK'
           AND NOT EXISTS (SELECT FROM problem WHERE kind = 'margin' AND key = code || '/prudential' AND ended_at IS NULL))
       SELECT code AS participant, level, closed_by AS "closedBy"
       FROM unwatched JOIN LATERAL (
         SELECT closed_by FROM problem WHERE kind = 'margin' AND key = code || '/prudential' AND ended_at >= archived_at
         ORDER BY ended_at DESC LIMIT 1
       ) AS latest ON closed_by IS NOT NULL
       ORDER BY level, participant LIMIT 100`,
    );
  }

  /** The same for all callers, so without the details of an outcome. */
  private async readSinks(): Promise<readonly SinkStatus[]> {
    const rows = await this.database.query<{
      sink: string;
      failingSince: Date | null;
      lastOutcome: string | null;
      disabledAt: Date | null;
      disabledBy: string | null;
      disabledReason: string | null;
      pending: number;
      parked: number;
    }>(
      `WITH counted AS (${countBySink('pending > 0')}),
            closed AS (SELECT * FROM sink_state WHERE failing_since IS NOT NULL OR disabled_at IS NOT NULL)
       SELECT sink, failing_since AS "failingSince", CASE WHEN failing_since IS NOT NULL THEN ${withoutDetail('last_outcome')} END AS "lastOutcome",
              disabled_at AS "disabledAt", disabled_by AS "disabledBy", disabled_reason AS "disabledReason", coalesce(pending, 0) AS pending, coalesce(parked, 0) AS parked
       FROM closed FULL JOIN counted USING (sink) ORDER BY (failing_since IS NOT NULL AND disabled_at IS NULL) DESC, disabled_at IS NULL, failing_since, sink LIMIT 100`,
    );
    return rows.map(presentMembers);
  }

  private async readQuarantine(): Promise<QuarantineStatus> {
    const [row] = await this.database.query<QuarantineStatus>(
      `SELECT (SELECT count(*) FROM (SELECT 1 FROM quarantine WHERE released_at IS NULL LIMIT $1) AS each) AS messages,
              (SELECT count(*) FROM (SELECT 1 FROM quarantine WHERE released_at IS NULL AND trusted LIMIT $1) AS each) AS trusted`,
      [MAX_COUNTED],
    );
    return row ?? { messages: 0, trusted: 0 };
  }

  private async countUnreadEvents(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      'SELECT count(*) FROM (SELECT 1 FROM unread_event LIMIT $1) AS each',
      [MAX_COUNTED],
    );
    return row?.count ?? 0;
  }
}

/** Seconds by the clock of the database. */
function ageOf(time: string): string {
  return `greatest(0, extract(epoch FROM clock_timestamp() - ${time}))::integer`;
}
