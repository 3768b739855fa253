import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import { maySee, type Caller } from '../access/caller.js';
import { toPage, type Page } from '../http/page.js';
import type { EventRow, EventsQuery } from './event-dto.js';
import { createEventFilter } from './event-filter.js';
import { selectNewest, type EventPlace } from './newest-events.js';

/** SQL: the columns of a row of a listing. */
export const ROW_COLUMNS = `event_id AS id, type, participant, subject, severity, time, archived_at AS "archivedAt", marks`;

/** Lists archived events. */
@Injectable()
export class EventQueries {
  constructor(private readonly database: Database) {}

  /** @throws InvalidRequestError for the cursor of an event that the caller may not see */
  async list(caller: Caller, query: EventsQuery): Promise<Page<EventRow>> {
    const before = query.cursor === undefined ? undefined : await this.findPlace(caller, query.cursor);
    const limit = query.limit + 1;
    let rows: EventRow[] = [];
    for (const { sql, conditions } of selectNewest(createEventFilter(caller, query), { before, limit })) {
      rows = await this.database.query<EventRow>(
        `WITH newest AS MATERIALIZED (${sql})
         SELECT ${ROW_COLUMNS} FROM newest JOIN archive USING (archive_offset) ORDER BY archive.fact_time DESC, archive_offset DESC`,
        conditions.values,
      );
      if (rows.length === limit) break;
    }
    return toPage(rows, query.limit, ({ id }) => id);
  }

  /** A cursor is the id of an event, which shows nothing of other events. */
  private async findPlace(caller: Caller, id: string): Promise<EventPlace> {
    const [row] = await this.database.query<EventPlace & { participant: string }>(
      'SELECT fact_time::text AS "factTime", archive_offset AS "offset", participant FROM archive WHERE event_id = $1',
      [id],
    );
    if (row === undefined || !maySee(caller, row.participant))
      throw new InvalidRequestError([{ path: 'cursor', message: 'cursor must be `next` of a page' }]);
    return row;
  }
}
