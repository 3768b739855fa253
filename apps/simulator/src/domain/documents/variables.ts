import type { Granularity, MarketService } from '@ssb/market';

/** A settlement variable of a statement. */
export interface Variable {
  name: string;
  /** P: payment from the operator to the participant; C: charge paid by the participant (document 000). */
  pOrC: 'P' | 'C';
  gstApplicable: 'Y' | 'N';
  /** Largest amount of one day, whole dollars. */
  maxDollars: bigint;
  /** By how many per cent a day may differ from the participant's usual amount. */
  swingPercent: bigint;
  /** How often the statement's detail has a value. */
  granularity: Granularity;
}

/** The names are invented: document 000 does not list those of the market. */
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
  maxDollars: bigint,
  swingPercent: bigint,
  granularity: Granularity,
): Variable {
  return { name, pOrC, gstApplicable, maxDollars, swingPercent, granularity };
}

/** The granularity of the variable; daily for an unknown variable, such as a control figure. */
export function getGranularity(marketService: MarketService, name: string): Granularity {
  return VARIABLES[marketService].find((variable) => variable.name === name)?.granularity ?? 'D';
}

/** `Energy charge` for `ENERGY_CHARGE`. */
export function describeVariable(name: string): string {
  const words = name.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
