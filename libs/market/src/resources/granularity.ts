import type { BrokenRule } from '../form.js';

/**
 * How often a variable has a value (document 000, SettlementOutputCalculationVariable): trading interval, dispatch
 * interval, trading day, trading week, trading month, capacity year, financial year. The document itself doubts how the week is
 * written, so both its `W?` and the plain `W` stand here.
 */
export const GRANULARITIES = ['I', 'DI', 'D', 'W', 'W?', 'M', 'CY', 'FY'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

const VALUES_PER_DAY: ReadonlyMap<string, number> = new Map([
  ['I', 48],
  ['DI', 288],
]);

/** A variable that has values has as many as its granularity says; those without a stated number may have any. */
export function brokenCountOf(
  granularity: string | null | undefined,
  value: readonly unknown[] | null | undefined,
): BrokenRule[] {
  const expected = VALUES_PER_DAY.get(granularity ?? '');
  if (expected === undefined || value === null || value === undefined || value.length === expected) return [];
  return [
    {
      path: ['value'],
      message: `expected ${expected} values for granularity ${granularity}, not ${value.length}`,
    },
  ];
}
