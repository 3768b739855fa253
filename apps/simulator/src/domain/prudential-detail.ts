import {
  addDays,
  startOfDay,
  type CalculationVariable,
  type MarketDate,
  type MarketDateTime,
  type OutputLoad,
} from '@ssb/market';
import { decimalOf, SETTLEMENT_SCALE, unitsOf } from './amount.js';
import { chanceOf } from './chance.js';
import { dayShape, sharesOf } from './split.js';

/** How many trading days stand behind an estimated exposure in the play. */
const DAYS_BEHIND = 7;
/** Of each day's exposure so many hundredths come from energy; the rest are fees. */
const ENERGY_SHARE = [85n, 15n];
const MOST_ESTIMATED_DOLLARS = 12_000n;

/** Which calculation a detail or an estimation belongs to. */
export interface OutputOrder {
  participant: string;
  tradingDay: MarketDate;
  calculatedAt: MarketDateTime;
  seed: string;
}

/**
 * The low-level figures behind a calculation (operation 3): those of its trading day and the six before, which add up, to
 * the last digit, to the exposure that the calculation states. @param exposure decimal string, AUD
 */
export function prudentialDetailOf(order: OutputOrder, exposure: string): OutputLoad {
  const { participant, tradingDay, calculatedAt, seed } = order;
  const chance = chanceOf(seed, participant, tradingDay, 'exposure');
  const weights = Array.from({ length: DAYS_BEHIND }, () => chance.between(80n, 120n));
  const byDay = sharesOf(unitsOf(exposure, SETTLEMENT_SCALE), weights);
  const tradingDays = byDay.map((units, index) => {
    const day = addDays(tradingDay, index + 1 - DAYS_BEHIND);
    const [energy = 0n, fees = 0n] = sharesOf(units, ENERGY_SHARE);
    return {
      tradingDay: startOfDay(day),
      variables: [
        halfHourly('ESTIMATED_ENERGY_EXPOSURE', energy, participant, chance),
        daily('ESTIMATED_MARKET_FEES', fees, participant),
      ],
    };
  });
  return {
    participantCode: participant,
    calculatedAt,
    output: { tradingDay: startOfDay(tradingDay), tradingDays },
  };
}

/** What NSTEM is estimated to come to on one trading day (operation 4). */
export function prudentialEstimationOf(order: OutputOrder): OutputLoad {
  const { participant, tradingDay, calculatedAt, seed } = order;
  const chance = chanceOf(seed, participant, tradingDay, 'nstem estimation');
  const total = chance.between(0n, MOST_ESTIMATED_DOLLARS * 10n ** BigInt(SETTLEMENT_SCALE));
  const variables = [halfHourly('ESTIMATED_NSTEM_CHARGE', total, participant, chance)];
  const at = startOfDay(tradingDay);
  return {
    participantCode: participant,
    calculatedAt,
    output: { tradingDay: at, tradingDays: [{ tradingDay: at, variables }] },
  };
}

function halfHourly(
  variable: string,
  units: bigint,
  scope: string,
  chance: ReturnType<typeof chanceOf>,
): CalculationVariable {
  const value = sharesOf(units, dayShape(48, chance)).map((share) => decimalOf(share, SETTLEMENT_SCALE));
  return { variable, scope, granularity: 'I', value };
}

function daily(variable: string, units: bigint, scope: string): CalculationVariable {
  return { variable, scope, granularity: 'D', value: [decimalOf(units, SETTLEMENT_SCALE)] };
}
