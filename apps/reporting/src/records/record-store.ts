import type { Database, SqlSession } from '@ssb/database';
import { type BulkLine, participantOf, type RecordKind } from '@ssb/market-admin';
import type { DayWindow } from '../participants/parameters/day-window.js';
import type { SharedCache } from './cache-invalidation.js';
import { type ReadThrough, scopeOf, TIMELINE_SCOPE, uncached } from './batch-query.js';
import { Latest, type LatestOf } from './latest-record-query.js';
import { type ListQuestion, listRecords, type RecordPage } from './list-records.js';
import { type LoadCount, loadLines } from './loading/load-lines.js';
import { TABLES } from './loading/tables.js';
import { type WindowOf, Windows } from './day-window-query.js';

const PERIOD = { marketService: 'market_service', periodFrom: 'period_from', designation: 'designation' };
const DAY = { marketService: 'market_service', tradingDay: 'trading_day', designation: 'designation' };
const ESTIMATED_DAY = { periodFrom: 'period_from', designation: 'designation', tradingDay: 'trading_day' };
/** A day may be calculated again: each calculation is a record of its own. */
const CALCULATED = {
  by: { tradingDay: 'trading_day' },
  order: 'calculated_at DESC',
  content: 'packed',
} as const;
/** A new run of a period stands beside the old one. */
const RUN = { order: 'run_id DESC', content: 'packed' } as const;
/** The invoice dated last; of one day, the one issued last. */
const INVOICE = { table: TABLES.invoices, by: PERIOD, order: 'invoice_date DESC, sequence DESC' };

/** The latest record that each of operations 2 to 9 answers. */
const LATEST = {
  /** A forecast is no position. */
  'prudential-summary': {
    table: TABLES.prudential,
    by: {},
    where: 'NOT is_forecast',
    order: 'calculated_at DESC, trading_day DESC',
    content: 'summary',
  },
  'prudential-detail': { table: TABLES['prudential-details'], ...CALCULATED },
  'prudential-estimation': { table: TABLES['prudential-estimations'], ...CALCULATED },
  'settlement-statement': { ...RUN, table: TABLES.statements, by: PERIOD, content: 'document' },
  'settlement-detail': { ...RUN, table: TABLES['statement-details'], by: DAY },
  'settlement-estimation': { ...RUN, table: TABLES['statement-estimations'], by: ESTIMATED_DAY },
  'settlement-invoice-file': { ...INVOICE, content: 'file' },
  'settlement-invoice': { ...INVOICE, content: 'document' },
} as const satisfies Record<string, LatestOf>;

type LatestName = keyof typeof LATEST;
type FieldOf<Name extends LatestName> = keyof (typeof LATEST)[Name]['by'] & string;

/** Every calculation, forecasts too, by trading day and then by the time at which it was made. */
const CALCULATIONS: WindowOf = {
  table: 'prudential',
  where:
    'participant = requested.owner AND trading_day BETWEEN requested.since::date AND requested.until::date',
  order: 'trading_day, calculated_at, sequence',
  around: ['[', ']'],
};

/** The settlement cycles that have a run invoiced within the window. */
const CYCLES: WindowOf = {
  table: 'cycle',
  where:
    'EXISTS (SELECT 1 FROM unnest(invoice_dates) AS invoiced WHERE invoiced BETWEEN requested.since AND requested.until)',
  order: 'period_from, market_service',
  around: ['{"cycles":[', ']}'],
};

/** All published records, on one database. Both ports share it: one writes, the other reads. */
export class Records {
  private readonly latestRecords: Readonly<Record<LatestName, Latest<string>>>;
  private readonly calculationWindows: Windows;
  private readonly cycleWindows: Windows;

  constructor(
    private readonly database: Database,
    /** Every reading queries the database when omitted. */
    private readonly cache?: SharedCache,
  ) {
    const through: ReadThrough = cache ?? uncached;
    const latest = Object.entries<LatestOf>(LATEST).map(
      ([name, of]) => [name, new Latest<string>(database, through, of)] as const,
    );
    this.latestRecords = Object.fromEntries(latest) as Record<LatestName, Latest<string>>;
    this.calculationWindows = new Windows(database, through, CALCULATIONS);
    this.cycleWindows = new Windows(database, through, CYCLES);
  }

  /** Operations 2 to 9: the body of the answer, or undefined when nothing was published. */
  latest<Name extends LatestName>(
    name: Name,
    participant: string,
    question: Readonly<Record<FieldOf<Name>, string>>,
  ): Promise<Uint8Array | undefined> {
    return this.latestRecords[name].read(participant, question);
  }

  /** Operation 1: the list of the calculations of these trading days. @throws WindowTooLargeError */
  calculations(participant: string, window: DayWindow): Promise<Uint8Array> {
    return this.calculationWindows.read(scopeOf(participant), participant, window);
  }

  /** Operation 10: the cycles with a run invoiced on these days. @throws WindowTooLargeError */
  timeline(window: DayWindow): Promise<Uint8Array> {
    return this.cycleWindows.read(TIMELINE_SCOPE, '', window);
  }

  /**
   * Loads all lines in one transaction, or none. A reading that begins after this resolved finds what was loaded.
   * @throws RecordConflictError with the `index` of a line whose key is taken by another content
   */
  async loadAll(lines: readonly BulkLine[]): Promise<LoadCount> {
    const scopes = [...new Set(lines.map(scopeOfLine))];
    const announce = async (session: SqlSession): Promise<void> => this.cache?.announce(session, scopes);
    try {
      return await loadLines(this.database, lines, announce);
    } finally {
      // Also after a failure: a connection that broke while committing leaves open whether it did.
      this.cache?.forget(scopes);
    }
  }

  /** The loaded records of a kind, page by page, in the order of loading. */
  list(kind: RecordKind, question: ListQuestion): Promise<RecordPage> {
    return listRecords(this.database, kind, question);
  }
}

function scopeOfLine(line: BulkLine): string {
  const participant = participantOf(line);
  return participant === undefined ? TIMELINE_SCOPE : scopeOf(participant);
}
