import {
  startOfDay,
  type MarketDate,
  type MarketDateTime,
  type SettlementCalculationVariable,
  type SettlementStatementSummary,
} from '@ssb/market';
import { decimalOf, dividedRounded, SETTLEMENT_SCALE } from './amount.js';
import { chanceOf, type Chance } from './chance.js';
import { nameOf, tradingDaysOf } from './period.js';
import type { SettlementRun } from './settlement-run.js';
import { VARIABLES, type Variable } from './variables.js';

export interface StatementOrder {
  participant: string;
  run: SettlementRun;
  runId: number;
  publishedAt: MarketDateTime;
  seed: string;
  /**
   * A figure that stands once as a payment and once as a charge on the first trading day: it cancels out, and shows whether
   * all 23 digits of a decimal(23,8) arrive.
   */
  controlFigure?: string | undefined;
  /** How often the run was revised before this statement of it; each time moves the figures like an adjustment does. */
  revision?: number | undefined;
}

/** Parts of a per cent in which days differ: enough for a figure to use all of its eight digits after the point. */
const FINE = 10n ** 10n;

/** A settlement statement of one run. The same order gives the same statement, digit for digit. */
export function statementOf(order: StatementOrder): SettlementStatementSummary {
  const { participant, run, runId, publishedAt } = order;
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
    tradingDays: tradingDaysOf(run.period).map((day, index) => ({
      tradingDay: startOfDay(day),
      variables: [
        ...VARIABLES[marketService].map((variable) => settled(variable, day, order)),
        ...(index === 0 ? control(order.controlFigure) : []),
      ],
    })),
  };
}

/**
 * What is usual for the participant, and so much more or less of it as days of this variable differ. Each adjustment, and each
 * revision, moves the amount before it by at most one per cent.
 */
function settled(
  { name, pOrC, gstApplicable, most, swing }: Variable,
  day: MarketDate,
  { participant, run, seed, revision = 0 }: StatementOrder,
): SettlementCalculationVariable {
  const { marketService } = run.period;
  const largest = most * 10n ** BigInt(SETTLEMENT_SCALE);
  const usual = chanceOf(seed, participant, marketService, name).between(50n, 100n);
  const chance = chanceOf(seed, participant, marketService, day, name);
  const today = chance.between((100n - swing) * FINE, (100n + swing) * FINE);
  let units = dividedRounded(largest * usual * today, 100n * (100n + swing) * FINE);
  const adjustments = run.designation === 'INITIAL' ? 0 : Number(run.designation.slice(-1));
  for (let number = 0; number < adjustments; number += 1) units += moved(units, chance);
  const again = chanceOf(seed, participant, marketService, day, name, run.designation, 'revision');
  for (let number = 0; number < revision; number += 1) units += moved(units, again);
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
