import { Injectable } from '@nestjs/common';
import { OPERATIONS_SINK, OperatorConfigFile } from '@ssb/config';
import { Database } from '@ssb/postgres';
import type { Caller } from '../access/caller.js';
import { presentMembers, type PresentMembers } from '../database/present-members.js';
import { toPage, type Page, type PageQuery } from '../http/page.js';
import { countBySink, outcomeFor } from './sink-backlog.js';
import type { SinkRow } from './sink-dto.js';

/** What the database has of a sink. */
interface StoredSink {
  readonly name: string;
  readonly state: SinkRow['state'];
  readonly pending: number;
  readonly parked: number;
  readonly oldestPendingAt: Date | null;
  readonly lastOutcome: string | null;
  readonly failingSince: Date | null;
  readonly disabledAt: Date | null;
  readonly disabledBy: string | null;
  readonly disabledReason: string | null;
}

/** Reads the sinks of CONFIG_FILE, and those that have had deliveries. */
@Injectable()
export class SinkQueries {
  constructor(
    private readonly database: Database,
    private readonly config: OperatorConfigFile,
  ) {}

  /** By name. */
  async list(caller: Caller, { limit, cursor }: PageQuery): Promise<Page<SinkRow>> {
    const configured = new Map<string, string>(
      this.config.current().alerts.sinks.map(({ name, kind }) => [name, kind]),
    );
    const stored = new Map((await this.readStored(caller)).map((sink) => [sink.name, sink]));
    const names = [...new Set([...configured.keys(), ...stored.keys()])].toSorted();
    const rows = names
      .filter((name) => cursor === undefined || name > cursor)
      .slice(0, limit + 1)
      .map((name): SinkRow => {
        const kind = configured.get(name);
        return {
          state: 'delivering',
          pending: 0,
          parked: 0,
          ...stored.get(name),
          name,
          ...(kind !== undefined && { kind }),
          inConfigFile: kind !== undefined || name === OPERATIONS_SINK,
        };
      });
    return toPage(rows, limit, ({ name }) => name);
  }

  private async readStored(caller: Caller): Promise<readonly PresentMembers<StoredSink>[]> {
    const rows = await this.database.query<StoredSink>(
      `SELECT sink AS name,
              CASE WHEN disabled_at IS NOT NULL THEN 'disabled' WHEN failing_since IS NOT NULL THEN 'failing' ELSE 'delivering' END AS state,
              coalesce(pending, 0) AS pending, coalesce(parked, 0) AS parked, oldest AS "oldestPendingAt", ${outcomeFor(caller, 'last_outcome')} AS "lastOutcome",
              failing_since AS "failingSince", disabled_at AS "disabledAt", disabled_by AS "disabledBy", disabled_reason AS "disabledReason"
       FROM sink_state
       FULL JOIN (${countBySink()}) AS counted USING (sink)
       LEFT JOIN (SELECT sink, min(created_at) AS oldest FROM delivery WHERE delivered_at IS NULL GROUP BY sink) AS waiting USING (sink)`,
    );
    return rows.map(presentMembers);
  }
}
