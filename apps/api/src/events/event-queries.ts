import { Injectable } from '@nestjs/common';
import { HEARTBEAT_TYPE } from '@ssb/config';
import { InvalidRequestError, type RequestFault } from '@ssb/platform';
import { Conditions, Database } from '@ssb/postgres';
import { maySee, type Caller } from '../access/caller.js';
import { archivedEvents, findId } from '../database/find-id.js';
import { toPage, UNKNOWN_CURSOR, type Page } from '../http/page.js';
import type { EventRow, EventsQuery } from './event-dto.js';
import { figuresOf, readFiguresOf } from './event-figures.js';
import { createEventFilter, type EventFilter } from './event-filter.js';
import { addFacts, selectCount, selectNewest, type EventPlace, type EventRange } from './newest-events.js';

/** In place of an event: the stream begins with the first event of the archive. */
export const BEGINNING = 'beginning';
/** Events, heartbeats too, among which the one that was archived last is searched first. */
const RECENT_EVENTS = 10_000;

/** SQL: the columns of a row of a listing, without its figures. */
export const ROW_COLUMNS = `event_id AS id, type, participant, subject, event_severity AS severity, time, archived_at AS "archivedAt", marks`;

/** Offsets of the archive. */
export interface ArchiveRange {
  readonly after: number;
  readonly upTo: number;
}

/** The beginning of a range of the archive. */
export interface ArchivedPage {
  readonly rows: readonly StreamedRow[];
  readonly hasMore: boolean;
}

const MAX_PAGE_ROWS = 100;
/** Bytes of the events of a page; it has at least one event. */
const MAX_PAGE_BYTES = 1_048_576;

/** A row of a listing with its place in the archive, and the text of its event. */
export interface StreamedRow extends EventRow {
  readonly offset: number;
  readonly text: string;
}

/** A row of a listing before its figures are read. */
type ListedRow = Omit<EventRow, 'figures'> & { readonly offset: number; readonly bytes: number };

/** Lists archived events. */
@Injectable()
export class EventQueries {
  constructor(private readonly database: Database) {}

  /** @throws InvalidRequestError for the cursor of an event that the caller may not see */
  async list(caller: Caller, query: EventsQuery): Promise<Page<EventRow>> {
    const before =
      query.cursor === undefined ? undefined : await this.findPlace(caller, query.cursor, UNKNOWN_CURSOR);
    const limit = query.limit + 1;
    let rows: ListedRow[] = [];
    const [filter, range] = [createEventFilter(caller, query), { before, limit }];
    for (const { sql, conditions } of selectNewest(filter, range, await this.countOfSubject(filter, range))) {
      rows = await this.database.query<ListedRow>(
        `WITH newest AS MATERIALIZED (${sql})
         SELECT ${ROW_COLUMNS}, archive_offset AS "offset", octet_length(event) AS bytes FROM newest JOIN archive USING (archive_offset) ORDER BY archive.fact_time DESC, archive_offset DESC`,
        conditions.values,
      );
      if (rows.length === limit) break;
    }
    const { items, ...page } = toPage(rows, query.limit, ({ id }) => id);
    const figures = await readFiguresOf(this.database, items);
    return {
      ...page,
      items: items.map(({ offset, bytes: _, ...row }) => ({ ...row, figures: figures.get(offset) ?? {} })),
    };
  }

  /** Undefined without a subject. */
  private async countOfSubject(filter: EventFilter, range: EventRange): Promise<number | undefined> {
    if (filter.subject === undefined) return undefined;
    const { sql, conditions } = selectCount(filter, range);
    const [row] = await this.database.query<{ count: number }>(sql, conditions.values);
    return row?.count;
  }

  /**
   * The event up to the offset that was archived last of those that the caller may see: a stream that begins there continues after it.
   * Heartbeats are kept for hours only, so it is one of them only for a filter that names them.
   * @param count events among which it is searched first
   * @returns BEGINNING without such an event
   */
  async findLastBefore(
    caller: Caller,
    { types }: EventFilter,
    upTo: number,
    count = RECENT_EVENTS,
  ): Promise<string> {
    const { participants } = createEventFilter(caller, {});
    const conditions = types?.includes(HEARTBEAT_TYPE) ? new Conditions() : addFacts(new Conditions(), {});
    conditions.add(participants, (codes) => `participant = ANY (${codes}::text[])`);
    const [last, recent] = [conditions.parameter(upTo), conditions.parameter(count)];
    // Otherwise the entries of an index suffice. OFFSET 0 keeps the planner from reading all later events.
    const [row] = await this.database.query<{ readonly id: string }>(
      `SELECT event_id AS id FROM archive WHERE archive_offset = coalesce((
         SELECT archive_offset FROM (
           SELECT archive_offset, participant, type FROM archive WHERE archive_offset <= ${last} ORDER BY archive_offset DESC LIMIT ${recent}
         ) AS recent ${conditions.where} ORDER BY archive_offset DESC LIMIT 1
       ), (
         SELECT max(archive_offset) FROM (SELECT archive_offset FROM archive ${conditions.where} OFFSET 0) AS matching WHERE archive_offset <= ${last}
       ))`,
      conditions.values,
    );
    return row?.id ?? BEGINNING;
  }

  /** Events in the order of the archive, after one offset and up to another. */
  async listArchived(filter: EventFilter, range: ArchiveRange): Promise<ArchivedPage> {
    const conditions = addFacts(new Conditions(), filter)
      .add(filter.participants, (codes) => `participant = ANY (${codes}::text[])`)
      .add(filter.since, (time) => `fact_time >= ${time}`)
      .add(filter.until, (time) => `fact_time < ${time}`)
      .add(range.after, (offset) => `archive_offset > ${offset}`)
      .add(range.upTo, (offset) => `archive_offset <= ${offset}`);
    const rows = await this.database.query<Omit<StreamedRow, 'figures'> & { readonly found: number }>(
      `WITH page AS (
         SELECT archive_offset, octet_length(event) AS bytes FROM archive ${conditions.where}
         ORDER BY archive_offset LIMIT ${conditions.parameter(MAX_PAGE_ROWS)}
       ), sized AS (
         SELECT archive_offset, sum(bytes) OVER (ORDER BY archive_offset) - bytes AS bytes_before, count(*) OVER () AS found FROM page
       )
       SELECT ${ROW_COLUMNS}, archive_offset AS "offset", event AS text, found FROM sized JOIN archive USING (archive_offset)
       WHERE bytes_before < ${conditions.parameter(MAX_PAGE_BYTES)} ORDER BY archive_offset`,
      conditions.values,
    );
    const found = rows[0]?.found ?? 0;
    return {
      rows: rows.map(({ found: _, ...row }) => ({ ...row, figures: figuresOf(row) })),
      hasMore: found === MAX_PAGE_ROWS || rows.length < found,
    };
  }

  /** The id that begins so; the text itself when none does. @throws ProblemException 409 when several begin so */
  async completeId(caller: Caller, text: string): Promise<string> {
    return (await findId(this.database, text, 'events', archivedEvents(caller))) ?? text;
  }

  /**
   * The sort key of an event that the caller knows, which shows nothing of other events.
   * @throws InvalidRequestError when the caller may not see it
   */
  async findPlace(caller: Caller, id: string, parameter: RequestFault): Promise<EventPlace> {
    const [row] = await this.database.query<EventPlace & { participant: string }>(
      'SELECT fact_time::text AS "factTime", archive_offset AS "offset", participant FROM archive WHERE event_id = $1',
      [id],
    );
    if (row === undefined || !maySee(caller, row.participant)) throw new InvalidRequestError([parameter]);
    return row;
  }
}
