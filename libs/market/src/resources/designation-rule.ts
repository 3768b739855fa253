import type { BrokenRule } from '../form.js';
import { type Designation, type MarketService, designationsOf } from '../market-service.js';

/** Document 000, Conventions 7, as a rule of what has both: STEM knows `INITIAL` alone. */
export function brokenDesignation(run: {
  readonly marketService: MarketService;
  readonly designation: Designation;
}): BrokenRule[] {
  if (designationsOf(run.marketService).includes(run.designation)) return [];
  return [
    { path: ['designation'], message: `expected INITIAL, the only designation of ${run.marketService}` },
  ];
}
