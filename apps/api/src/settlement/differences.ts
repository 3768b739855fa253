import { Injectable } from '@nestjs/common';
import { RUN_DESIGNATIONS } from '@ssb/events';
import { ProblemException } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import type { Caller } from '../access/caller.js';
import { refuseShortId } from '../database/find-id.js';
import { wrongCursor } from '../http/page.js';
import { invalid, notFound } from '../http/problems.js';
import { Calendar } from './calendar.js';
import { Comparisons } from './comparisons.js';
import type { ComparedVersion, DifferencesPage, DifferencesQuery } from './differences-dto.js';
import type { CalendarRow } from './settlement-dto.js';

/** One version of runs, by default the newest. */
const version = (
  condition = '',
  first = '',
): string => `SELECT event_id AS "eventId", run_id AS "statementId", designation, (data->>'runId')::integer AS "runId",
    market_instant(data->>'publishedAt') AS "publishedAt"
  FROM settlement_event JOIN archive USING (archive_offset)
  WHERE run_id = ANY ($1::uuid[]) AND kind IN ('published', 'revised') ${condition}
  ORDER BY ${first} settlement_event.detected_at DESC, archive_offset DESC LIMIT 1`;
const NAMED_OR_NEWEST = version('', 'starts_with(event_id::text, $2) DESC,');
const BEFORE = version(`AND (settlement_event.detected_at, archive_offset) < (
    SELECT later.detected_at, later.archive_offset
    FROM settlement_event AS later JOIN archive USING (archive_offset)
    WHERE event_id = $2 AND run_id = ANY ($1::uuid[]) LIMIT 1)`);
const OF_FIRST_RUN = version('', 'array_position($1::uuid[], run_id),');

/** The earlier runs of the period, the latest designation first. */
const EARLIER_RUNS = `SELECT run_id AS id FROM settlement_run
  WHERE participant = $1 AND market = $2 AND period_from = $3::date
    AND array_position($4::text[], designation) < array_position($4::text[], $5)
  ORDER BY array_position($4::text[], designation) DESC`;

/** Names both versions, so that a newer one does not change the next page: ids of the later and of the earlier one, offset. */
const CURSOR = /^([0-9a-f-]{36})_([0-9a-f-]{36})_(\d{1,9})$/;

interface Pair {
  readonly before: ComparedVersion;
  readonly after: ComparedVersion;
}

/** What differs between two versions of a statement, or between two runs of a period. */
@Injectable()
export class Differences {
  constructor(
    private readonly database: Database,
    private readonly calendar: Calendar,
    private readonly comparisons: Comparisons,
  ) {}

  /** @param id of a run or an event, or its first 6 characters or more @throws ProblemException, InvalidRequestError */
  async list(caller: Caller, id: string, query: DifferencesQuery): Promise<DifferencesPage> {
    const run = (await this.calendar.find(caller, id)) ?? notFound('statement');
    const [, cursorAfter, cursorBefore, offset = '0'] = CURSOR.exec(query.cursor ?? '') ?? [];
    if (query.cursor !== undefined && cursorBefore === undefined) throw wrongCursor();
    const after = await this.findVersion(run, cursorAfter ?? id);
    if (cursorAfter !== undefined && after?.eventId !== cursorAfter) throw wrongCursor();
    if (after === undefined) throw conflict('The statement of this run is not published yet.');
    const before =
      cursorBefore === undefined
        ? await this.findOther(caller, run, after, query.against)
        : await this.findComparable(caller, run, cursorBefore);
    if (before === undefined || (cursorBefore ?? before.eventId) !== before.eventId) throw wrongCursor();
    return this.readPage({ before, after }, Number(offset), query.limit);
  }

  private async readPage({ before, after }: Pair, offset: number, limit: number): Promise<DifferencesPage> {
    const { differences, totals } = await this.comparisons.compare(before.eventId, after.eventId);
    const end = offset + limit;
    return {
      before,
      after,
      count: differences.length,
      totals,
      items: differences
        .slice(offset, end)
        .map((each) => ({ ...each, tradingDay: each.tradingDay.slice(0, 10) })),
      ...(end < differences.length && { next: `${after.eventId}_${before.eventId}_${end}` }),
    };
  }

  /** The version with this id, or the newest one of the run. */
  private findVersion(run: CalendarRow, id: string): Promise<ComparedVersion | undefined> {
    return this.queryVersion(NAMED_OR_NEWEST, [run.id], id.toLowerCase());
  }

  private async findOther(
    caller: Caller,
    run: CalendarRow,
    after: ComparedVersion,
    against: string | undefined,
  ): Promise<ComparedVersion> {
    if (against === undefined) return this.findPrevious(run, after);
    refuseShortId(against, 'against');
    const before = await this.findComparable(caller, run, against);
    if (before === undefined)
      throw invalid(
        'against',
        'against must be the id of a published statement of the same participant, market and period',
      );
    if (before.eventId === after.eventId)
      throw invalid('against', 'against must be another version than the one that is compared');
    return before;
  }

  /** A version of the same participant, market and period that the caller may see. */
  private async findComparable(
    caller: Caller,
    run: CalendarRow,
    id: string,
  ): Promise<ComparedVersion | undefined> {
    const other = await this.calendar.find(caller, id);
    const isComparable =
      other?.participant === run.participant &&
      other.market === run.market &&
      other.periodFrom === run.periodFrom;
    return other && isComparable ? this.findVersion(other, id) : undefined;
  }

  private async findPrevious(run: CalendarRow, after: ComparedVersion): Promise<ComparedVersion> {
    const before = await this.queryVersion(BEFORE, [run.id], after.eventId);
    if (before !== undefined) return before;
    const { participant, market, periodFrom, designation } = run;
    const runs = await this.database.query<{ id: string }>(EARLIER_RUNS, [
      participant,
      market,
      periodFrom,
      [...RUN_DESIGNATIONS],
      designation,
    ]);
    const newest = await this.queryVersion(
      OF_FIRST_RUN,
      runs.map(({ id }) => id),
    );
    if (newest !== undefined) return newest;
    throw conflict(
      'There is no earlier version of this statement and no earlier run of its period: name one with against.',
    );
  }

  private async queryVersion(
    sql: string,
    runs: string[],
    ...values: string[]
  ): Promise<ComparedVersion | undefined> {
    const [found] = await this.database.query<ComparedVersion>(sql, [runs, ...values]);
    return found;
  }
}

function conflict(detail: string): ProblemException {
  return new ProblemException(409, 'Conflict', detail);
}
