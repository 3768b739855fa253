import {
  addDays,
  dateOf,
  startOfDay,
  type MarketDate,
  type SettlementOutputDetails,
  type SettlementStatementSummary,
} from '@ssb/market';
import { decimalOf, dividedRounded, SETTLEMENT_SCALE, unitsOf } from './amount.js';
import { chanceOf } from './chance.js';
import { dayShape, sharesOf } from './split.js';
import { granularityOf } from './variables.js';

/** Values of one trading day by granularity (document 000, SettlementOutputCalculationVariable). */
const VALUES_PER_DAY: Record<string, number> = { I: 48, DI: 288 };

/**
 * The settlement detail of one trading day (operation 6): the values of each variable add up, to the last digit, to the
 * statement's value of that variable and day, in the statement's order.
 */
export function statementDetailOf(
  statement: SettlementStatementSummary,
  tradingDay: MarketDate,
  seed: string,
): SettlementOutputDetails {
  const { runId, publishedAt, marketService, designation, period, periodFrom, periodTo, participantCode } =
    statement;
  const at = startOfDay(tradingDay);
  const stated = statement.tradingDays.find((day) => day.tradingDay === at)?.variables ?? [];
  return {
    runId,
    publishedAt,
    marketService,
    designation,
    period,
    periodFrom,
    periodTo,
    participantCode,
    tradingDay: at,
    tradingDays: [
      {
        tradingDay: at,
        variables: stated.map(({ variable, value }) => {
          const granularity = granularityOf(marketService, variable);
          const intervals = VALUES_PER_DAY[granularity] ?? 1;
          const chance = chanceOf(seed, participantCode, marketService, tradingDay, variable, 'detail');
          const shares = sharesOf(unitsOf(value, SETTLEMENT_SCALE), dayShape(intervals, chance));
          return {
            variable,
            scope: participantCode,
            granularity,
            value: shares.map((units) => decimalOf(units, SETTLEMENT_SCALE)),
          };
        }),
      },
    ],
  };
}

/**
 * The NSTEM estimation statement of one trading day (operation 7): a detail like the settled one, each variable at most three
 * per cent beside what was settled in the end.
 */
export function statementEstimationOf(
  statement: SettlementStatementSummary,
  tradingDay: MarketDate,
  seed: string,
): SettlementOutputDetails {
  const estimated = statement.tradingDays
    .filter((day) => dateOf(day.tradingDay) === tradingDay)
    .map((day) => ({
      ...day,
      variables: day.variables.map((settled) => {
        const chance = chanceOf(seed, statement.participantCode, tradingDay, settled.variable, 'estimation');
        const units = unitsOf(settled.value, SETTLEMENT_SCALE);
        const beside = dividedRounded(units * chance.between(-3_000n, 3_000n), 100_000n);
        return { ...settled, value: decimalOf(units + beside, SETTLEMENT_SCALE) };
      }),
    }));
  return statementDetailOf({ ...statement, tradingDays: estimated }, tradingDay, seed);
}

/** The first so many trading days of the statement's period: for as many of them details are published. */
export function detailedDays(statement: SettlementStatementSummary, atMost: number): MarketDate[] {
  const count = Math.min(atMost, statement.tradingDays.length);
  return Array.from({ length: count }, (_, index) => addDays(dateOf(statement.periodFrom), index));
}
