import { BatchLoader, type Database } from '@ssb/database';
import type { MarketDate } from '@ssb/market';
import { Latest, type LatestOf } from './latest.js';
import * as tables from './loading/tables.js';
import { LARGEST_WINDOW, scopeOf, windowBody, type FoundWindow, type ReadThrough } from './reading.js';

const POSITION: LatestOf = {
  table: tables.PRUDENTIAL,
  by: ['participant'],
  where: 'NOT is_forecast',
  order: 'calculated_at DESC, trading_day DESC',
  content: 'summary',
};
const DAY = { by: ['participant', 'trading_day'], order: 'calculated_at DESC', content: 'packed' } as const;

/** Prudential calculations and their figures. A day may be calculated again: each calculation is a record of its own. */
export class PrudentialRecords {
  private readonly ranges: PrudentialRanges;
  private readonly positions: Latest;
  private readonly details: Latest;
  private readonly estimations: Latest;

  constructor(
    database: Database,
    private readonly through: ReadThrough,
  ) {
    this.ranges = new PrudentialRanges(database);
    this.positions = new Latest(database, through, POSITION);
    this.details = new Latest(database, through, { table: tables.PRUDENTIAL_DETAIL, ...DAY });
    this.estimations = new Latest(database, through, { table: tables.PRUDENTIAL_ESTIMATION, ...DAY });
  }

  /** Operation 1: a list of every calculation of these trading days. @throws WindowTooLargeError */
  range(participant: string, from: MarketDate, to: MarketDate): Promise<Uint8Array> {
    return this.through.read({ scope: scopeOf(participant), question: `range ${from} ${to}` }, () =>
      this.ranges.find(participant, from, to),
    );
  }

  /** Operation 2: the summary of the calculation made last; a forecast is no position. */
  latestSummary(participant: string): Promise<Uint8Array | undefined> {
    return this.positions.read(participant);
  }

  /** Operation 3: the figures of the day by the calculation made last. */
  detail(participant: string, tradingDay: MarketDate): Promise<Uint8Array | undefined> {
    return this.details.read(participant, tradingDay);
  }

  /** Operation 4: the NSTEM estimation of the day by the calculation made last. */
  estimation(participant: string, tradingDay: MarketDate): Promise<Uint8Array | undefined> {
    return this.estimations.read(participant, tradingDay);
  }
}

/** Ranges of one statement: each may be as large as the bound says. */
const MOST_TOGETHER = 8;
const BETWEEN = '\0';

const WANTED =
  'FROM prudential WHERE participant = asked.participant AND trading_day BETWEEN asked.since::date AND asked.until::date';
const SQL = `SELECT asked.place::integer AS place, size.bytes, CASE WHEN size.bytes <= $4 THEN
    (SELECT string_agg(document, ',' ORDER BY trading_day, calculated_at, sequence) ${WANTED}) END AS documents
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked (participant, since, until, place)
  CROSS JOIN LATERAL (SELECT coalesce(sum(octet_length(document) + 1), 0)::bigint AS bytes ${WANTED}) AS size`;

interface Found extends FoundWindow {
  readonly place: number;
}

/**
 * Operation 1: every calculation, forecasts too, whose trading day lies in the range, by trading day and then by the time it was made. How
 * long it will be is asked first, so that an absurd range costs a sum and no memory.
 */
class PrudentialRanges {
  private readonly loader: BatchLoader<Found>;

  constructor(private readonly database: Database) {
    this.loader = new BatchLoader((questions) => this.lookUp(questions), MOST_TOGETHER);
  }

  /** The body of the answer, empty list included. @throws WindowTooLargeError */
  async find(participant: string, from: MarketDate, to: MarketDate): Promise<Uint8Array> {
    const found = await this.loader.find([participant, from, to].join(BETWEEN));
    return windowBody(found, '[', ']');
  }

  private async lookUp(questions: readonly string[]): Promise<ReadonlyMap<string, Found>> {
    const parts = questions.map((question) => question.split(BETWEEN));
    const columns = [0, 1, 2].map((column) => parts.map((part) => part[column] ?? null));
    const rows = await this.database.query<Found>(SQL, [...columns, LARGEST_WINDOW]);
    return new Map(rows.map((row) => [questions[row.place - 1] ?? '', row]));
  }
}
