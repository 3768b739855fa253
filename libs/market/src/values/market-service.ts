/** Market service codes (document 000, convention 6). */
export const MARKET_SERVICES = ['WEM', 'NSTEM', 'STEM'] as const;
export type MarketService = (typeof MARKET_SERVICES)[number];

/** Settlement run designations (document 000, convention 7). */
export const DESIGNATIONS = ['INITIAL', 'ADJ1', 'ADJ2', 'ADJ3'] as const;
export type Designation = (typeof DESIGNATIONS)[number];

/** The designations of a market service. STEM has no adjustments. */
export function designationsOf(marketService: MarketService): readonly Designation[] {
  return marketService === 'STEM' ? ['INITIAL'] : DESIGNATIONS;
}

export function isMarketService(text: string): text is MarketService {
  return (MARKET_SERVICES as readonly string[]).includes(text);
}

export function isDesignation(text: string): text is Designation {
  return (DESIGNATIONS as readonly string[]).includes(text);
}
