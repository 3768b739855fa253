import {
  startOfDay,
  type MarketDate,
  type MarketDateTime,
  type SettlementCalculationVariable,
  type SettlementOutputDetails,
  type SettlementStatementSummary,
} from '@ssb/market';
import { decimalOf, dividedRounded, SETTLEMENT_SCALE, sharesOf, unitsOf } from './amount.js';
import { chanceOf, dayShape, type Chance } from './random.js';
import { nameOf, tradingDaysOf } from '../calendar/period.js';
import { adjustmentNumber, type SettlementRun } from '../calendar/settlement-run.js';
import { granularityOf, VARIABLES, type Variable } from './variables.js';

export interface StatementOrder {
  participant: string;
  run: SettlementRun;
  runId: number;
  publishedAt: MarketDateTime;
  seed: string;
}

/** The part of a statement that its invoice is made of. */
export type StatementFigures = Pick<SettlementStatementSummary, 'tradingDays'>;

/** Parts of a per cent in which days differ: enough for a figure to use all of its eight digits after the point. */
const FINE = 10n ** 10n;

/** The settlement statement of a run. The same order gives the same statement, digit for digit. */
export function statementOf(order: StatementOrder): SettlementStatementSummary {
  const { participant, run, runId, publishedAt, seed } = order;
  const { marketService, from, to } = run.period;
  return {
    runId,
    publishedAt,
    marketService,
    designation: run.designation,
    period: nameOf(run.period),
    periodFrom: startOfDay(from),
    periodTo: startOfDay(to),
    participantCode: participant,
    ...statementFiguresOf(participant, run, seed),
  };
}

export function statementFiguresOf(participant: string, run: SettlementRun, seed: string): StatementFigures {
  const tradingDays = tradingDaysOf(run.period).map((day, index) => ({
    tradingDay: startOfDay(day),
    variables: [
      ...VARIABLES[run.period.marketService].map((variable) =>
        settled(variable, day, participant, run, seed),
      ),
      ...(index === 0 ? control(run.controlFigure) : []),
    ],
  }));
  return { tradingDays };
}

/** The participant's usual amount, varied by day. Each adjustment and each revision moves it by at most one per cent. */
function settled(
  { name, pOrC, gstApplicable, most, swing }: Variable,
  day: MarketDate,
  participant: string,
  { period: { marketService }, designation, revision = 0 }: SettlementRun,
  seed: string,
): SettlementCalculationVariable {
  const largest = most * 10n ** BigInt(SETTLEMENT_SCALE);
  const usual = chanceOf(seed, participant, marketService, name).between(50n, 100n);
  const chance = chanceOf(seed, participant, marketService, day, name);
  const today = chance.between((100n - swing) * FINE, (100n + swing) * FINE);
  let units = dividedRounded(largest * usual * today, 100n * (100n + swing) * FINE);
  for (let left = adjustmentNumber(designation); left > 0; left -= 1) units += moved(units, chance);
  const again = chanceOf(seed, participant, marketService, day, name, designation, 'revision');
  for (let left = revision; left > 0; left -= 1) units += moved(units, again);
  return { variable: name, pOrC, gstApplicable, value: decimalOf(units, SETTLEMENT_SCALE) };
}

function moved(units: bigint, chance: Chance): bigint {
  return dividedRounded(units * chance.between(-1_000n, 1_000n), 100_000n);
}

function control(figure: string | undefined): SettlementCalculationVariable[] {
  if (figure === undefined) return [];
  return (['P', 'C'] as const).map((pOrC) => ({
    variable: 'CONTROL_FIGURE',
    pOrC,
    gstApplicable: 'N',
    value: figure as SettlementCalculationVariable['value'],
  }));
}

/** Values of one trading day by granularity (document 000, SettlementOutputCalculationVariable). */
const VALUES_PER_DAY: Record<string, number> = { I: 48, DI: 288 };

/** The settlement detail of one trading day (operation 6): the values of each variable add up exactly to the statement's value. */
export function statementDetailOf(
  statement: SettlementStatementSummary,
  tradingDay: MarketDate,
  seed: string,
): SettlementOutputDetails {
  const { tradingDays, ...head } = statement;
  const { marketService, participantCode } = head;
  const at = startOfDay(tradingDay);
  const stated = tradingDays.find((day) => day.tradingDay === at)?.variables ?? [];
  return {
    ...head,
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

/** The NSTEM estimation of one trading day (operation 7): each variable at most three per cent off what is settled in the end. */
export function statementEstimationOf(
  statement: SettlementStatementSummary,
  tradingDay: MarketDate,
  seed: string,
): SettlementOutputDetails {
  const tradingDays = statement.tradingDays.map((day) => ({
    ...day,
    variables: day.variables.map((settled) => {
      const chance = chanceOf(seed, statement.participantCode, tradingDay, settled.variable, 'estimation');
      const units = unitsOf(settled.value, SETTLEMENT_SCALE);
      const error = dividedRounded(units * chance.between(-3_000n, 3_000n), 100_000n);
      return { ...settled, value: decimalOf(units + error, SETTLEMENT_SCALE) };
    }),
  }));
  return statementDetailOf({ ...statement, tradingDays }, tradingDay, seed);
}
