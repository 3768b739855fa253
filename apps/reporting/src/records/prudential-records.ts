import type { Database } from '@ssb/database';
import type { MarketDate } from '@ssb/market';
import { Latest, type LatestOf } from './latest.js';
import * as tables from './loading/tables.js';
import { PrudentialRanges } from './prudential-range.js';
import { plainBody, scopeOf, unpackedBody, type ReadThrough } from './reading.js';

const POSITION: LatestOf = {
  table: tables.PRUDENTIAL,
  by: ['participant'],
  where: 'NOT is_forecast',
  order: 'calculated_at DESC, trading_day DESC',
  content: 'summary',
};
const DAY = { by: ['participant', 'trading_day'], order: 'calculated_at DESC', content: 'packed' };

/**
 * Prudential calculations and their figures. A day may be calculated again: each calculation is a record of its own. What is read is the
 * body of the answer, `{"data":…}` in UTF-8.
 */
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
    this.positions = new Latest(database, POSITION);
    this.details = new Latest(database, { table: tables.PRUDENTIAL_DETAIL, ...DAY });
    this.estimations = new Latest(database, { table: tables.PRUDENTIAL_ESTIMATION, ...DAY });
  }

  /** Operation 1: a list of every calculation of these trading days. @throws WindowTooLargeError */
  range(participant: string, from: MarketDate, to: MarketDate): Promise<Uint8Array> {
    return this.through.read({ scope: scopeOf(participant), question: `range ${from} ${to}` }, () =>
      this.ranges.find(participant, from, to),
    );
  }

  /** Operation 2: the summary of the calculation made last; a forecast is no position. */
  latestSummary(participant: string): Promise<Uint8Array | undefined> {
    return this.through.read({ scope: scopeOf(participant), question: 'summary' }, () =>
      plainBody(this.positions.find(participant)),
    );
  }

  /** Operation 3: the figures of the day by the calculation made last. */
  detail(participant: string, tradingDay: MarketDate): Promise<Uint8Array | undefined> {
    return this.through.read({ scope: scopeOf(participant), question: `detail of ${tradingDay}` }, () =>
      unpackedBody(this.details.find(participant, tradingDay)),
    );
  }

  /** Operation 4: the NSTEM estimation of the day by the calculation made last. */
  estimation(participant: string, tradingDay: MarketDate): Promise<Uint8Array | undefined> {
    return this.through.read({ scope: scopeOf(participant), question: `estimation of ${tradingDay}` }, () =>
      unpackedBody(this.estimations.find(participant, tradingDay)),
    );
  }
}
