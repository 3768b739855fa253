import type { Granularity, MarketService } from '@ssb/market';

/** What a statement accounts for, and how often its detail has a value. */
export interface Variable {
  name: string;
  /** P: payment from the operator to the participant; C: charge paid by the participant (document 000). */
  pOrC: 'P' | 'C';
  gstApplicable: 'Y' | 'N';
  /** Largest amount of one day, whole dollars. */
  most: bigint;
  /** By how many per cent a day differs at most from what is usual for the participant. */
  swing: bigint;
  granularity: Granularity;
}

/** Names made up for the play; the market's own list is not part of document 000. */
export const VARIABLES: Record<MarketService, readonly Variable[]> = {
  WEM: [
    { name: 'ENERGY_PAYMENT', pOrC: 'P', gstApplicable: 'Y', most: 90_000n, swing: 25n, granularity: 'I' },
    { name: 'CAPACITY_PAYMENT', pOrC: 'P', gstApplicable: 'Y', most: 40_000n, swing: 2n, granularity: 'D' },
    { name: 'ENERGY_CHARGE', pOrC: 'C', gstApplicable: 'Y', most: 110_000n, swing: 25n, granularity: 'DI' },
    {
      name: 'ESSENTIAL_SERVICES_CHARGE',
      pOrC: 'C',
      gstApplicable: 'Y',
      most: 15_000n,
      swing: 35n,
      granularity: 'I',
    },
    { name: 'MARKET_FEES', pOrC: 'C', gstApplicable: 'Y', most: 6_000n, swing: 5n, granularity: 'D' },
    { name: 'CIVIL_PENALTY_SHARE', pOrC: 'P', gstApplicable: 'N', most: 900n, swing: 60n, granularity: 'D' },
  ],
  NSTEM: [
    { name: 'CAPACITY_REFUND', pOrC: 'P', gstApplicable: 'N', most: 8_000n, swing: 60n, granularity: 'D' },
    {
      name: 'RESERVE_CAPACITY_CHARGE',
      pOrC: 'C',
      gstApplicable: 'Y',
      most: 30_000n,
      swing: 3n,
      granularity: 'I',
    },
  ],
  STEM: [
    { name: 'STEM_SALE', pOrC: 'P', gstApplicable: 'Y', most: 50_000n, swing: 30n, granularity: 'I' },
    { name: 'STEM_PURCHASE', pOrC: 'C', gstApplicable: 'Y', most: 45_000n, swing: 30n, granularity: 'I' },
  ],
};

/** How often the variable has a value; once a trading day for one that the table does not know. */
export function granularityOf(marketService: MarketService, name: string): Granularity {
  return VARIABLES[marketService].find((variable) => variable.name === name)?.granularity ?? 'D';
}

/** `ENERGY_CHARGE` as a person reads it: `Energy charge`. */
export function described(name: string): string {
  const words = name.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
