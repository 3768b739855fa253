import { Injectable } from '@nestjs/common';
import { HEARTBEAT_TYPE } from '@ssb/config';
import { InvalidRequestError } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import { maySee, visibleParticipants, type Caller } from '../access/caller.js';
import { Conditions } from '../database/conditions.js';
import { toPage, type Page } from '../http/page.js';
import type { EventRow, EventsQuery } from './event-dto.js';

/** Reads archived events. */
@Injectable()
export class EventQueries {
  constructor(private readonly database: Database) {}

  /** @throws InvalidRequestError for the cursor of an event that the caller may not see */
  async list(caller: Caller, query: EventsQuery): Promise<Page<EventRow>> {
    const conditions = new Conditions()
      .addText(`type <> '${HEARTBEAT_TYPE}'`)
      .add(query.type, (types) => `type = ANY (${types}::text[])`)
      .add(query.severity, (severities) => `severity = ANY (${severities}::text[])`)
      .add(query.subject, (subject) => `starts_with(subject, ${subject})`)
      .add(query.since, (time) => `fact_time >= ${time}`)
      .add(query.until, (time) => `fact_time < ${time}`)
      .add(visibleParticipants(caller, query.participant), (codes) => `participant = ANY (${codes}::text[])`);
    if (query.cursor !== undefined) {
      const last = await this.findPlace(caller, query.cursor);
      conditions.addText(
        `(fact_time, archive_offset) < (${conditions.parameter(last.factTime)}::timestamptz, ${conditions.parameter(last.offset)})`,
      );
    }
    const rows = await this.database.query<EventRow>(
      `SELECT event_id AS id, type, participant, subject, severity, time, archived_at AS "archivedAt", marks
       FROM archive ${conditions.where} ORDER BY fact_time DESC, archive_offset DESC LIMIT ${conditions.parameter(query.limit + 1)}`,
      conditions.values,
    );
    return toPage(rows, query.limit, ({ id }) => id);
  }

  /** A cursor is the id of an event, which shows nothing of other events. */
  private async findPlace(caller: Caller, id: string): Promise<Place> {
    const [row] = await this.database.query<Place & { participant: string }>(
      'SELECT fact_time::text AS "factTime", archive_offset AS "offset", participant FROM archive WHERE event_id = $1',
      [id],
    );
    if (row === undefined || !maySee(caller, row.participant))
      throw new InvalidRequestError([{ path: 'cursor', message: 'cursor must be `next` of a page' }]);
    return row;
  }
}

/** The sort key of an event. A Date would cut off microseconds. */
interface Place {
  readonly factTime: string;
  readonly offset: number;
}
