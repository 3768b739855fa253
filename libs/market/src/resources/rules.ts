import type { RuleViolation } from '../schema/schema-builder.js';
import { type Designation, type MarketService, designationsOf } from '../values/market-service.js';
import { type MarketDateTime, isMarketDateTime } from '../values/market-time.js';

/** Document 000, convention 7: STEM has the designation `INITIAL` only. */
export function checkDesignation(run: {
  readonly marketService: MarketService;
  readonly designation: Designation;
}): RuleViolation[] {
  if (designationsOf(run.marketService).includes(run.designation)) return [];
  return [
    { path: ['designation'], message: `expected INITIAL, the only designation of ${run.marketService}` },
  ];
}

/** A period does not end before it begins. */
export function checkPeriodEnd({
  periodFrom,
  periodTo,
}: {
  readonly periodFrom: MarketDateTime;
  readonly periodTo: MarketDateTime;
}): RuleViolation[] {
  // The schema of the field reports an invalid date.
  if (![periodFrom, periodTo].every(isMarketDateTime) || periodFrom <= periodTo) return [];
  return [{ path: ['periodTo'], message: `expected not to be before periodFrom, ${periodFrom}` }];
}

/**
 * How often a variable has a value: trading interval, dispatch interval, trading day, week, month, capacity year,
 * financial year (document 000, SettlementOutputCalculationVariable). The document gives both `W?` and `W` for the week.
 */
export const GRANULARITIES = ['I', 'DI', 'D', 'W', 'W?', 'M', 'CY', 'FY'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

const VALUES_PER_DAY: ReadonlyMap<string, number> = new Map([
  ['I', 48],
  ['DI', 288],
]);

/** A variable with values has the number of values of its granularity, where the document gives a number. */
export function checkValueCount(
  granularity: string | null | undefined,
  value: readonly unknown[] | null | undefined,
): RuleViolation[] {
  const expected = VALUES_PER_DAY.get(granularity ?? '');
  if (expected === undefined || value === null || value === undefined || value.length === expected) return [];
  return [
    {
      path: ['value'],
      message: `expected ${expected} values for granularity ${granularity}, not ${value.length}`,
    },
  ];
}
