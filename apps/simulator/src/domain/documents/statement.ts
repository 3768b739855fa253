import {
  parseDecimal,
  startOfDay,
  type MarketDate,
  type MarketDateTime,
  type SettlementCalculationVariable,
  type SettlementOutputDetails,
  type SettlementStatementSummary,
} from '@ssb/market';
import { formatPeriodName, listTradingDays } from '../calendar/period.js';
import { getAdjustmentNumber, type SettlementRun, type GivenFigures } from '../calendar/settlement-run.js';
import { divideRounded, SETTLEMENT_SCALE, splitByWeights, toDecimal, toUnits } from './amount.js';
import { createRandom, dayProfile, type Random } from './random.js';
import { getGranularity, VARIABLES, type Variable } from './variables.js';

export interface StatementInput {
  participant: string;
  run: SettlementRun;
  runId: number;
  publishedAt: MarketDateTime;
  seed: string;
}

/** The part of a statement that its invoice is computed from. */
export type StatementFigures = Pick<SettlementStatementSummary, 'tradingDays'>;

/** Fractions of a per cent by which days differ, so that figures use all eight digits after the point. */
const FRACTIONS_PER_PERCENT = 10n ** 10n;

/** The settlement statement of a run. The same input gives the same statement, digit for digit. */
export function buildStatement(input: StatementInput): SettlementStatementSummary {
  const { participant, run, runId, publishedAt, seed } = input;
  const { marketService, from, to } = run.period;
  return {
    runId,
    publishedAt,
    marketService,
    designation: run.designation,
    period: formatPeriodName(run.period),
    periodFrom: startOfDay(from),
    periodTo: startOfDay(to),
    participantCode: participant,
    ...buildStatementFigures(participant, run, seed),
  };
}

export function buildStatementFigures(
  participant: string,
  run: SettlementRun,
  seed: string,
): StatementFigures {
  if (run.figures !== undefined) return { tradingDays: buildGivenDays(run.period, run.figures) };
  const variables = VARIABLES[run.period.marketService];
  const tradingDays = listTradingDays(run.period).map((day, index) => ({
    tradingDay: startOfDay(day),
    variables: [
      ...variables.map((variable) => buildDayFigure(variable, day, participant, run, seed)),
      ...(index === 0 ? buildControlFigures(run.controlFigure) : []),
    ],
  }));
  return { tradingDays };
}

function buildGivenDays(
  period: SettlementRun['period'],
  { variables, further }: GivenFigures,
): StatementFigures['tradingDays'] {
  return listTradingDays(period).map((day, index) => ({
    tradingDay: startOfDay(day),
    variables: [
      ...variables
        .filter(({ periodDay }) => periodDay === index + 1)
        .map(({ periodDay: _, value, ...names }) => ({ ...names, value: parseDecimal(value) })),
      ...Array.from({ length: index === 0 ? further : 0 }, (_, number) => ({
        variable: `FURTHER_CHARGE_${number + 1}`,
        pOrC: 'C' as const,
        gstApplicable: 'Y' as const,
        value: parseDecimal('1.00'),
      })),
    ],
  }));
}

/** The participant's usual amount, varied by day. Each adjustment and each revision changes it by at most one per cent. */
function buildDayFigure(
  { name, pOrC, gstApplicable, maxDollars, swingPercent }: Variable,
  day: MarketDate,
  participant: string,
  { period: { marketService }, designation, revision = 0 }: SettlementRun,
  seed: string,
): SettlementCalculationVariable {
  const maxUnits = maxDollars * 10n ** BigInt(SETTLEMENT_SCALE);
  const usualPercent = createRandom(seed, participant, marketService, name).between(50n, 100n);
  const random = createRandom(seed, participant, marketService, day, name);
  const minToday = (100n - swingPercent) * FRACTIONS_PER_PERCENT;
  const maxToday = (100n + swingPercent) * FRACTIONS_PER_PERCENT;
  const today = random.between(minToday, maxToday);
  let units = divideRounded(maxUnits * usualPercent * today, 100n * maxToday);
  for (let left = getAdjustmentNumber(designation); left > 0; left -= 1) units += drawChange(units, random);
  const revised = createRandom(seed, participant, marketService, day, name, designation, 'revision');
  for (let left = revision; left > 0; left -= 1) units += drawChange(units, revised);
  return { variable: name, pOrC, gstApplicable, value: toDecimal(units, SETTLEMENT_SCALE) };
}

/** At most one per cent of the units, up or down. */
function drawChange(units: bigint, random: Random): bigint {
  return divideRounded(units * random.between(-1_000n, 1_000n), 100_000n);
}

function buildControlFigures(figure: string | undefined): SettlementCalculationVariable[] {
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

/** The detail of one trading day (operation 6): the values of each variable add up exactly to the statement's value. */
export function buildStatementDetail(
  statement: SettlementStatementSummary,
  tradingDay: MarketDate,
  seed: string,
): SettlementOutputDetails {
  const { tradingDays, ...head } = statement;
  const { marketService, participantCode } = head;
  const at = startOfDay(tradingDay);
  const figures = tradingDays.find((day) => day.tradingDay === at)?.variables ?? [];
  return {
    ...head,
    tradingDay: at,
    tradingDays: [
      {
        tradingDay: at,
        variables: figures.map(({ variable, value }) => {
          const granularity = getGranularity(marketService, variable);
          const intervals = VALUES_PER_DAY[granularity] ?? 1;
          const random = createRandom(seed, participantCode, marketService, tradingDay, variable, 'detail');
          const shares = splitByWeights(toUnits(value, SETTLEMENT_SCALE), dayProfile(intervals, random));
          return {
            variable,
            scope: participantCode,
            granularity,
            value: shares.map((units) => toDecimal(units, SETTLEMENT_SCALE)),
          };
        }),
      },
    ],
  };
}

/** The NSTEM estimation of one trading day (operation 7): each variable is at most three per cent off the settled value. */
export function buildStatementEstimation(
  statement: SettlementStatementSummary,
  tradingDay: MarketDate,
  seed: string,
): SettlementOutputDetails {
  const tradingDays = statement.tradingDays.map((day) => ({
    ...day,
    variables: day.variables.map((settled) => {
      const random = createRandom(
        seed,
        statement.participantCode,
        tradingDay,
        settled.variable,
        'estimation',
      );
      const units = toUnits(settled.value, SETTLEMENT_SCALE);
      const error = divideRounded(units * random.between(-3_000n, 3_000n), 100_000n);
      return { ...settled, value: toDecimal(units + error, SETTLEMENT_SCALE) };
    }),
  }));
  return buildStatementDetail({ ...statement, tradingDays }, tradingDay, seed);
}
