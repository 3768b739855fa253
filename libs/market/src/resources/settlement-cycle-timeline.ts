import { z } from 'zod';
import { dateTime, text } from '../fields.js';
import type { BrokenRule, Form } from '../form.js';
import {
  DESIGNATIONS,
  type Designation,
  MARKET_SERVICES,
  type MarketService,
  designationsOf,
  isDesignation,
} from '../market-service.js';
import { defineResource } from '../resource.js';
import { NAMED_MONTH, NUMBERED_WEEK_OF_CYCLE, type PeriodLabel, WEEK_OF_DAY } from './period-label.js';
import { brokenPeriodEnd } from './period-rule.js';

const runSchema = (form: Form) =>
  form.object({
    designation: text(30)
      .refine(
        (value) => value.trim() === '' || isDesignation(value),
        'expected INITIAL, ADJ1, ADJ2, ADJ3 or blank',
      )
      .meta({ maxLength: 30, pattern: `^(?:${DESIGNATIONS.join('|')}|\\s*)$` })
      .nullish(),
    commencementDate: dateTime().nullish(),
    statementDate: dateTime(),
    invoiceDate: dateTime(),
    settlementDate: dateTime(),
  });

const cycleSchema = (form: Form) =>
  form.object({
    period: text(30),
    marketService: z.enum(MARKET_SERVICES),
    periodFrom: dateTime(),
    periodTo: dateTime(),
    runs: z.array(runSchema(form)).nullish(),
  });

/** Document 000, SettlementCycleTimeline. */
export const settlementCycleTimelineSchema = (form: Form) =>
  form.object({ cycles: z.array(form.rule(cycleSchema(form), brokenRulesOfCycle)).nullish() });

export const SettlementCycleTimeline = defineResource(
  'SettlementCycleTimeline',
  settlementCycleTimelineSchema,
);
export type SettlementCycleTimeline = z.output<ReturnType<typeof settlementCycleTimelineSchema>>;
export type Cycle = z.output<ReturnType<typeof cycleSchema>>;
export type Run = z.output<ReturnType<typeof runSchema>>;

/**
 * Which run of the cycle this is. STEM may leave its one run unnamed (null or blank): it is INITIAL. An unnamed run of
 * another market service is `undefined`: nothing can be asked for by it.
 */
export function designationOfRun(marketService: MarketService, run: Run): Designation | undefined {
  const designation = run.designation ?? '';
  if (isDesignation(designation)) return designation;
  return marketService === 'STEM' ? 'INITIAL' : undefined;
}

const PERIODS: Record<MarketService, PeriodLabel> = {
  WEM: WEEK_OF_DAY,
  NSTEM: NAMED_MONTH,
  STEM: NUMBERED_WEEK_OF_CYCLE,
};

function brokenRulesOfCycle(cycle: Cycle): BrokenRule[] {
  return [
    ...brokenPeriod(cycle),
    ...brokenPeriodEnd(cycle),
    ...brokenDesignations(cycle),
    ...brokenCommencements(cycle),
  ];
}

function brokenPeriod({ marketService, period }: Cycle): BrokenRule[] {
  const { written, fits } = PERIODS[marketService];
  return fits(period) ? [] : [{ path: ['period'], message: `expected ${written} for ${marketService}` }];
}

function brokenDesignations({ marketService, runs }: Cycle): BrokenRule[] {
  const allowed = designationsOf(marketService);
  return (runs ?? []).flatMap((run, index) => {
    const designation = designationOfRun(marketService, run);
    const named = (run.designation ?? null) !== null;
    const fits = designation === undefined ? !named : allowed.includes(designation);
    const message = `expected one of ${allowed.join(', ')} for ${marketService}`;
    return fits ? [] : [{ path: ['runs', index, 'designation'], message }];
  });
}

/** "Omitted (null) for STEM." */
function brokenCommencements({ marketService, runs }: Cycle): BrokenRule[] {
  if (marketService !== 'STEM') return [];
  return (runs ?? []).flatMap(({ commencementDate }, index) => {
    if (commencementDate === undefined || commencementDate === null) return [];
    return [{ path: ['runs', index, 'commencementDate'], message: 'expected to be omitted for STEM' }];
  });
}
