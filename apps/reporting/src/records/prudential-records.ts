import type { Database } from '@ssb/database';
import { PrudentialCalculation, PrudentialCalculationSummary, type PrudentialLoad } from '@ssb/market';
import { insertOnce, type LoadResult } from './insert-once.js';

/** Prudential calculations. A day may be calculated again: each calculation is a record of its own. */
export class PrudentialRecords {
  constructor(private readonly database: Database) {}

  /** One transaction. @throws RecordConflictError when this calculation was published with other figures */
  load({ participantCode, calculation }: PrudentialLoad): Promise<LoadResult> {
    const { tradingDay, calculatedAt, outstandingAmount, tradingMargin } = calculation;
    if (tradingDay === undefined || calculatedAt === undefined) {
      throw new TypeError('a calculation without its trading day and time does not pass the operator’s door');
    }
    const summary = {
      participantCode: calculation.participantCode ?? participantCode,
      tradingDay,
      outstandingAmount,
      tradingMargin,
      calculatedAt,
    };
    return this.database.transaction((session) =>
      insertOnce(session, {
        table: 'prudential',
        key: {
          participant: participantCode,
          is_forecast: calculation.isForecast ?? false,
          calculated_at: calculatedAt,
          trading_day: tradingDay,
        },
        document: PrudentialCalculation.serialise(calculation),
        rest: { summary: PrudentialCalculationSummary.serialise(summary) },
      }),
    );
  }

  /** Operation 2: the summary of the calculation made last; a forecast is no position. */
  async latestSummary(participant: string): Promise<string | undefined> {
    const [row] = await this.database.query<{ summary: string }>(
      `SELECT summary FROM prudential WHERE participant = $1 AND NOT is_forecast
       ORDER BY calculated_at DESC, trading_day DESC LIMIT 1`,
      [participant],
    );
    return row?.summary;
  }
}
