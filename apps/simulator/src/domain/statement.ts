import {
  startOfDay,
  type MarketDate,
  type MarketDateTime,
  type SettlementCalculationVariable,
  type SettlementStatementSummary,
} from '@ssb/market';
import { decimalOf, dividedRounded, SETTLEMENT_SCALE } from './amount.js';
import { chanceOf } from './chance.js';
import { nameOf, tradingDaysOf } from './period.js';
import type { SettlementRun } from './settlement-run.js';

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
}

interface Variable {
  name: string;
  pOrC: 'P' | 'C';
  gstApplicable: 'Y' | 'N';
  /** Largest amount of one day, whole dollars. */
  most: bigint;
}

/** Names made up for the play; the market's own list is not part of document 000. */
const VARIABLES: Record<SettlementRun['period']['marketService'], readonly Variable[]> = {
  WEM: [
    { name: 'ENERGY_PAYMENT', pOrC: 'P', gstApplicable: 'Y', most: 90_000n },
    { name: 'CAPACITY_PAYMENT', pOrC: 'P', gstApplicable: 'Y', most: 40_000n },
    { name: 'ENERGY_CHARGE', pOrC: 'C', gstApplicable: 'Y', most: 110_000n },
    { name: 'ESSENTIAL_SERVICES_CHARGE', pOrC: 'C', gstApplicable: 'Y', most: 15_000n },
    { name: 'MARKET_FEES', pOrC: 'C', gstApplicable: 'Y', most: 6_000n },
    { name: 'CIVIL_PENALTY_SHARE', pOrC: 'P', gstApplicable: 'N', most: 900n },
  ],
  NSTEM: [
    { name: 'CAPACITY_REFUND', pOrC: 'P', gstApplicable: 'N', most: 8_000n },
    { name: 'RESERVE_CAPACITY_CHARGE', pOrC: 'C', gstApplicable: 'Y', most: 30_000n },
  ],
  STEM: [
    { name: 'STEM_SALE', pOrC: 'P', gstApplicable: 'Y', most: 50_000n },
    { name: 'STEM_PURCHASE', pOrC: 'C', gstApplicable: 'Y', most: 45_000n },
  ],
};

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

/** Each adjustment moves the amount before it by at most one per cent. */
function settled(
  { name, pOrC, gstApplicable, most }: Variable,
  day: MarketDate,
  { participant, run, seed }: StatementOrder,
): SettlementCalculationVariable {
  const chance = chanceOf(seed, participant, run.period.marketService, day, name);
  let units = chance.between(0n, most * 10n ** BigInt(SETTLEMENT_SCALE));
  const adjustments = run.designation === 'INITIAL' ? 0 : Number(run.designation.slice(-1));
  for (let number = 0; number < adjustments; number += 1) {
    units += dividedRounded(units * chance.between(-1_000n, 1_000n), 100_000n);
  }
  return { variable: name, pOrC, gstApplicable, value: decimalOf(units, SETTLEMENT_SCALE) };
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
