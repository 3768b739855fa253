import type { Database } from '@ssb/database';
import type { MarketDate, OutputLoad, PrudentialLoad } from '@ssb/market';
import type { LoadResult } from './insert-once.js';
import type { LoadOne } from './loading/load-one.js';
import { prudentialRange } from './prudential-range.js';
import { oneDocument, onePacked, scopeOf, type ReadThrough } from './reading.js';

/** Prudential calculations and their figures. A day may be calculated again: each calculation is a record of its own. */
export class PrudentialRecords {
  constructor(
    private readonly database: Database,
    private readonly through: ReadThrough,
    private readonly loadOne: LoadOne,
  ) {}

  /** One transaction. @throws RecordConflictError when this calculation was published with other figures */
  load(record: PrudentialLoad): Promise<LoadResult> {
    return this.loadOne({ kind: 'prudential', record });
  }

  /** One transaction. @throws RecordConflictError */
  loadDetail(record: OutputLoad): Promise<LoadResult> {
    return this.loadOne({ kind: 'prudential-details', record });
  }

  /** One transaction. @throws RecordConflictError */
  loadEstimation(record: OutputLoad): Promise<LoadResult> {
    return this.loadOne({ kind: 'prudential-estimations', record });
  }

  /** Operation 1: JSON array of every calculation of these trading days. @throws RangeTooLargeError */
  range(participant: string, from: MarketDate, to: MarketDate): Promise<string> {
    return this.through.read({ scope: scopeOf(participant), question: `range ${from} ${to}` }, () =>
      prudentialRange(this.database, participant, from, to),
    );
  }

  /** Operation 2: the summary of the calculation made last; a forecast is no position. */
  latestSummary(participant: string): Promise<string | undefined> {
    return this.through.read({ scope: scopeOf(participant), question: 'summary' }, () =>
      oneDocument(
        this.database,
        `SELECT summary AS document FROM prudential WHERE participant = $1 AND NOT is_forecast
         ORDER BY calculated_at DESC, trading_day DESC LIMIT 1`,
        [participant],
      ),
    );
  }

  /** Operation 3: the figures of the day by the calculation made last. */
  detail(participant: string, tradingDay: MarketDate): Promise<string | undefined> {
    return this.figures('prudential_detail', participant, tradingDay);
  }

  /** Operation 4: the NSTEM estimation of the day by the calculation made last. */
  estimation(participant: string, tradingDay: MarketDate): Promise<string | undefined> {
    return this.figures('prudential_estimation', participant, tradingDay);
  }

  private figures(
    table: 'prudential_detail' | 'prudential_estimation',
    participant: string,
    tradingDay: MarketDate,
  ): Promise<string | undefined> {
    return this.through.read({ scope: scopeOf(participant), question: `${table} ${tradingDay}` }, () =>
      onePacked(
        this.database,
        `SELECT packed FROM ${table} WHERE participant = $1 AND trading_day = $2 ORDER BY calculated_at DESC LIMIT 1`,
        [participant, tradingDay],
      ),
    );
  }
}
