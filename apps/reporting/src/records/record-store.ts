import type { Database, SqlSession } from '@ssb/postgres';
import { participantOf, type BulkLine, type RecordKind } from '@ssb/market/admin';
import type { DayWindow } from '../participants/parameters/day-window.js';
import type { CacheInvalidation } from './cache-invalidation.js';
import { DayWindowQuery, type DayWindowDefinition } from './day-window-query.js';
import { participantScope, TIMELINE_SCOPE, uncached } from './document-cache.js';
import { LatestRecordQuery, type LatestRecordDefinition } from './latest-record-query.js';
import { listRecords, type ListQuery, type RecordPage } from './list-records.js';
import { loadLines, type LoadCount } from './loading/load-lines.js';
import { TABLES } from './loading/tables.js';

const PERIOD = { marketService: 'market_service', periodFrom: 'period_from', designation: 'designation' };
const DAY = { marketService: 'market_service', tradingDay: 'trading_day', designation: 'designation' };
const ESTIMATED_DAY = { periodFrom: 'period_from', designation: 'designation', tradingDay: 'trading_day' };
/** A day may be calculated again: each calculation is a record. */
const CALCULATED = {
  columns: { tradingDay: 'trading_day' },
  order: 'calculated_at DESC',
  content: 'packed',
} as const;
/** A new run of a period does not replace the old one. */
const RUN = { order: 'run_id DESC', content: 'packed' } as const;
/** The invoice with the latest date; of one date, the one loaded last. */
const INVOICE = { table: TABLES.invoices, columns: PERIOD, order: 'invoice_date DESC, sequence DESC' };

/** The records of operations 2 to 9. */
const LATEST_RECORDS = {
  /** A forecast is not a position. */
  'prudential-summary': {
    table: TABLES.prudential,
    columns: {},
    where: 'NOT is_forecast',
    order: 'calculated_at DESC, trading_day DESC',
    content: 'summary',
  },
  'prudential-detail': { table: TABLES['prudential-details'], ...CALCULATED },
  'prudential-estimation': { table: TABLES['prudential-estimations'], ...CALCULATED },
  'settlement-statement': { ...RUN, table: TABLES.statements, columns: PERIOD, content: 'document' },
  'settlement-detail': { ...RUN, table: TABLES['statement-details'], columns: DAY },
  'settlement-estimation': { ...RUN, table: TABLES['statement-estimations'], columns: ESTIMATED_DAY },
  'settlement-invoice-file': { ...INVOICE, content: 'file' },
  'settlement-invoice': { ...INVOICE, content: 'document' },
} as const satisfies Record<string, LatestRecordDefinition>;

type LatestName = keyof typeof LATEST_RECORDS;
type FieldOf<Name extends LatestName> = keyof (typeof LATEST_RECORDS)[Name]['columns'] & string;

/** Operation 1: all calculations, forecasts too. */
const CALCULATIONS: DayWindowDefinition = {
  table: 'prudential',
  where:
    'participant = requested.owner AND trading_day BETWEEN requested.since::date AND requested.until::date',
  order: 'trading_day, calculated_at, sequence',
  prefix: '[',
  suffix: ']',
};

/** Operation 10: the cycles that have a run invoiced within the window. */
const CYCLES: DayWindowDefinition = {
  table: 'cycle',
  where:
    'EXISTS (SELECT 1 FROM unnest(invoice_dates) AS invoiced WHERE invoiced BETWEEN requested.since AND requested.until)',
  order: 'period_from, market_service',
  prefix: '{"cycles":[',
  suffix: ']}',
};

/** All published records in one database. Both ports share it: one writes, the other reads. */
export class RecordStore {
  private readonly latestQueries: Readonly<Record<LatestName, LatestRecordQuery<string>>>;
  private readonly calculationsQuery: DayWindowQuery;
  private readonly cyclesQuery: DayWindowQuery;

  constructor(
    private readonly database: Database,
    /** Nothing is cached when omitted. */
    private readonly invalidation?: CacheInvalidation,
  ) {
    const cache = invalidation?.cache ?? uncached;
    const queries = Object.entries<LatestRecordDefinition>(LATEST_RECORDS).map(
      ([name, definition]) => [name, new LatestRecordQuery<string>(database, cache, definition)] as const,
    );
    this.latestQueries = Object.fromEntries(queries) as Record<LatestName, LatestRecordQuery<string>>;
    this.calculationsQuery = new DayWindowQuery(database, cache, CALCULATIONS);
    this.cyclesQuery = new DayWindowQuery(database, cache, CYCLES);
  }

  /** Operations 2 to 9: the body of a 200, or undefined when nothing was published. */
  latest<Name extends LatestName>(
    name: Name,
    participant: string,
    key: Readonly<Record<FieldOf<Name>, string>>,
  ): Promise<Uint8Array | undefined> {
    return this.latestQueries[name].find(participant, key);
  }

  /** Operation 1: the calculations of these trading days. @throws WindowTooLargeError */
  calculations(participant: string, window: DayWindow): Promise<Uint8Array> {
    return this.calculationsQuery.find(participantScope(participant), participant, window);
  }

  /** Operation 10: the cycles with a run invoiced on these days. @throws WindowTooLargeError */
  timeline(window: DayWindow): Promise<Uint8Array> {
    return this.cyclesQuery.find(TIMELINE_SCOPE, '', window);
  }

  /**
   * Loads all lines in one transaction, or none. A read that begins afterwards finds them.
   * @throws RecordConflictError with the `index` of a line whose key has other content already
   */
  async loadAll(lines: readonly BulkLine[]): Promise<LoadCount> {
    const scopes = [...new Set(lines.map(scopeOfLine))];
    const notifyReplicas = async (session: SqlSession): Promise<void> =>
      this.invalidation?.notifyReplicas(session, scopes);
    try {
      return await loadLines(this.database, lines, notifyReplicas);
    } finally {
      // After a failure too: a connection that breaks during the commit may have committed.
      this.invalidation?.cache.invalidate(scopes);
    }
  }

  /** The loaded records of a kind, page by page, in the order of loading. */
  list(kind: RecordKind, query: ListQuery): Promise<RecordPage> {
    return listRecords(this.database, kind, query);
  }
}

function scopeOfLine(line: BulkLine): string {
  const participant = participantOf(line);
  return participant === undefined ? TIMELINE_SCOPE : participantScope(participant);
}
