import { z } from 'zod';
import { text } from '../../schema/fields.js';
import type { RuleViolation, SchemaBuilder } from '../../schema/schema-builder.js';
import {
  DESIGNATIONS,
  type Designation,
  MARKET_SERVICES,
  type MarketService,
  designationsOf,
  isDesignation,
} from '../../values/market-service.js';
import { defineResource } from '../../schema/resource.js';
import { NAMED_MONTH, NUMBERED_WEEK_OF_CYCLE, type PeriodLabel, WEEK_OF_DAY } from '../period-label.js';
import { checkPeriodEnd } from '../rules.js';

const runSchema = (builder: SchemaBuilder) =>
  builder.object({
    designation: text(30)
      .refine(
        (value) => value.trim() === '' || isDesignation(value),
        'expected INITIAL, ADJ1, ADJ2, ADJ3 or blank',
      )
      .meta({ maxLength: 30, pattern: `^(?:${DESIGNATIONS.join('|')}|\\s*)$` })
      .nullish(),
    commencementDate: builder.optionalDateTime(),
    statementDate: builder.dateTime(),
    invoiceDate: builder.dateTime(),
    settlementDate: builder.dateTime(),
  });

const cycleSchema = (builder: SchemaBuilder) =>
  builder.object({
    period: text(30),
    marketService: z.enum(MARKET_SERVICES),
    periodFrom: builder.dateTime(),
    periodTo: builder.dateTime(),
    runs: z.array(runSchema(builder)).nullish(),
  });

/** Document 000, SettlementCycleTimeline. */
export const settlementCycleTimelineSchema = (builder: SchemaBuilder) =>
  builder.object({ cycles: z.array(builder.rule(cycleSchema(builder), checkCycle)).nullish() });

export const SettlementCycleTimeline = defineResource(
  'SettlementCycleTimeline',
  settlementCycleTimelineSchema,
);
export type SettlementCycleTimeline = z.output<ReturnType<typeof settlementCycleTimelineSchema>>;
export type Cycle = z.output<ReturnType<typeof cycleSchema>>;
export type Run = z.output<ReturnType<typeof runSchema>>;

/**
 * The designation of a run. The one run of STEM can have none (null or blank) and is INITIAL; an unnamed run of
 * another market service is undefined.
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

function checkCycle(cycle: Cycle): RuleViolation[] {
  return [
    ...checkPeriod(cycle),
    ...checkPeriodEnd(cycle),
    ...checkDesignations(cycle),
    ...checkCommencements(cycle),
  ];
}

function checkPeriod({ marketService, period }: Cycle): RuleViolation[] {
  const { format, matches } = PERIODS[marketService];
  return matches(period) ? [] : [{ path: ['period'], message: `expected ${format} for ${marketService}` }];
}

function checkDesignations({ marketService, runs }: Cycle): RuleViolation[] {
  const allowed = designationsOf(marketService);
  return (runs ?? []).flatMap((run, index) => {
    const designation = designationOfRun(marketService, run);
    const isNamed = (run.designation ?? null) !== null;
    const isAllowed = designation === undefined ? !isNamed : allowed.includes(designation);
    const message = `expected one of ${allowed.join(', ')} for ${marketService}`;
    return isAllowed ? [] : [{ path: ['runs', index, 'designation'], message }];
  });
}

/** Document 000: "Omitted (null) for STEM." */
function checkCommencements({ marketService, runs }: Cycle): RuleViolation[] {
  if (marketService !== 'STEM') return [];
  return (runs ?? []).flatMap(({ commencementDate }, index) => {
    if (commencementDate === undefined || commencementDate === null) return [];
    return [{ path: ['runs', index, 'commencementDate'], message: 'expected to be omitted for STEM' }];
  });
}
