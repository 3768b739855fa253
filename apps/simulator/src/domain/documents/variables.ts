import type { Granularity, MarketService } from '@ssb/market';

/** What a statement accounts for. */
export interface Variable {
  name: string;
  /** P: payment from the operator to the participant; C: charge paid by the participant (document 000). */
  pOrC: 'P' | 'C';
  gstApplicable: 'Y' | 'N';
  /** Largest amount of one day, whole dollars. */
  most: bigint;
  /** By how many per cent a day differs at most from the participant's usual amount. */
  swing: bigint;
  /** How often the statement's detail has a value. */
  granularity: Granularity;
}

/** The names are the simulation's own: document 000 does not list the market's. */
export const VARIABLES: Record<MarketService, readonly Variable[]> = {
  WEM: [
    variable('ENERGY_PAYMENT', 'P', 'Y', 90_000n, 25n, 'I'),
    variable('CAPACITY_PAYMENT', 'P', 'Y', 40_000n, 2n, 'D'),
    variable('ENERGY_CHARGE', 'C', 'Y', 110_000n, 25n, 'DI'),
    variable('ESSENTIAL_SERVICES_CHARGE', 'C', 'Y', 15_000n, 35n, 'I'),
    variable('MARKET_FEES', 'C', 'Y', 6_000n, 5n, 'D'),
    variable('CIVIL_PENALTY_SHARE', 'P', 'N', 900n, 60n, 'D'),
  ],
  NSTEM: [
    variable('CAPACITY_REFUND', 'P', 'N', 8_000n, 60n, 'D'),
    variable('RESERVE_CAPACITY_CHARGE', 'C', 'Y', 30_000n, 3n, 'I'),
  ],
  STEM: [
    variable('STEM_SALE', 'P', 'Y', 50_000n, 30n, 'I'),
    variable('STEM_PURCHASE', 'C', 'Y', 45_000n, 30n, 'I'),
  ],
};

function variable(
  name: string,
  pOrC: Variable['pOrC'],
  gstApplicable: Variable['gstApplicable'],
  most: bigint,
  swing: bigint,
  granularity: Granularity,
): Variable {
  return { name, pOrC, gstApplicable, most, swing, granularity };
}

/** How often the variable has a value; once a trading day for one that the table does not know. */
export function granularityOf(marketService: MarketService, name: string): Granularity {
  return VARIABLES[marketService].find((variable) => variable.name === name)?.granularity ?? 'D';
}

/** `ENERGY_CHARGE` as a person reads it: `Energy charge`. */
export function described(name: string): string {
  const words = name.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
