import { MARGIN_LEVELS } from '@ssb/events';
import {
  isDecimal,
  isMarketDate,
  isMarketDateTime,
  type Decimal,
  type MarketDate,
  type MarketDateTime,
} from '@ssb/market';
import type { Threshold } from '@ssb/config';
import { z } from 'zod';
import { parseSaved } from '../../state/parse-saved.js';
import type { Absorbed } from './absorbed.js';
import { withOrder, type Calculation, type SavedCalculation } from './calculation.js';
import type { Announced } from './announcements.js';
import type { CalculationLog, Revision } from './calculation-log.js';
import type { PositionState } from './detect-positions.js';
import { TOPICS, type AnnouncedLevel } from './levels/change.js';
import type { Levels } from './levels/levels.js';
import type { Policy } from './levels/thresholds.js';

const decimalSchema = z.custom<Decimal>((value) => typeof value === 'string' && isDecimal(value));
const marketTimeSchema = z.custom<MarketDateTime>(
  (value) => typeof value === 'string' && isMarketDateTime(value),
);

const marketDateSchema = z.custom<MarketDate>((value) => typeof value === 'string' && isMarketDate(value));

/** A calculation is saved without what follows from its other fields. */
const calculationSchema = z.codec(
  z.object({
    tradingDay: marketTimeSchema,
    calculatedAt: marketTimeSchema,
    isForecast: z.boolean(),
    digest: z.string(),
    tradingMargin: decimalSchema.optional(),
    tradingLimit: decimalSchema.optional(),
    outstandingAmount: decimalSchema.optional(),
    creditSupport: decimalSchema.optional(),
    creditLimit: decimalSchema.optional(),
  }) satisfies z.ZodType<SavedCalculation>,
  z.custom<Calculation>(),
  {
    decode: withOrder,
    encode: ({ sortKey: _sortKey, at: _at, approximateMargin: _margin, ...saved }) => saved,
  },
);

const thresholdSchema: z.ZodType<Threshold> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('amount'), amount: decimalSchema }),
  z.object({ kind: z.literal('share'), percent: decimalSchema }),
]);

const policySchema: z.ZodType<Policy> = z.object({
  margin: z.object({
    warning: thresholdSchema,
    breach: thresholdSchema,
    hysteresis: thresholdSchema,
    deepeningStep: thresholdSchema,
    minDurationMs: z.number(),
  }),
  forecast: z.object({
    horizonDays: z.number(),
    trend: z.object({ method: z.enum(['linear', 'none']), calculations: z.number(), minSpanMs: z.number() }),
  }),
});

/** The thresholds of an event. */
const thresholdsSchema = z.object({
  warning: decimalSchema,
  breach: decimalSchema,
  hysteresis: decimalSchema,
  method: z.enum(['amount', 'share']).optional(),
  tradingLimit: decimalSchema.optional(),
  deepeningStep: decimalSchema.optional(),
  minDurationSeconds: z.number().optional(),
});

const changesSchema = z.int().nonnegative();

const levelsSchema = z.object({
  margin: z.object({
    level: z.enum(MARGIN_LEVELS),
    announcedMargin: decimalSchema.optional(),
    pending: z.array(
      z.object({
        level: z.enum(MARGIN_LEVELS),
        since: z.number(),
        first: calculationSchema,
        thresholds: thresholdsSchema,
        cause: z.enum(['calculation', 'thresholds']),
        transition: changesSchema,
        deeper: z.array(
          z.object({
            calculation: calculationSchema,
            thresholds: thresholdsSchema,
            transition: changesSchema,
          }),
        ),
        leftOut: z.int().min(1).optional(),
      }),
    ),
    leftOut: z.int().min(1).optional(),
    last: z.object({ calculation: calculationSchema, changes: changesSchema }).optional(),
  }),
  creditSupport: z.object({ level: z.enum(['SHORT', 'SUFFICIENT']), last: calculationSchema.optional() }),
  operatorForecast: z.object({
    level: z.enum(['FORECAST', 'CLEAR']),
    days: z.array(calculationSchema),
    last: calculationSchema.optional(),
    clearing: calculationSchema.optional(),
    announced: z.object({ calculation: calculationSchema, changes: changesSchema }).optional(),
  }),
  trendForecast: z.object({
    level: z.enum(['FORECAST', 'CLEAR']),
    window: z.array(calculationSchema),
    changes: changesSchema,
  }),
  latest: z.object({ tradingDay: marketTimeSchema, calculatedAt: marketTimeSchema }).optional(),
  readFrom: marketDateSchema.optional(),
}) satisfies z.ZodType<Levels>;

const announcedLevelSchema = z.object({
  level: z.string(),
  sortKey: z.string(),
  transition: changesSchema,
}) satisfies z.ZodType<AnnouncedLevel>;

const absorbedSchema = z.object({
  from: marketDateSchema,
  days: z.record(z.string(), z.object({ names: z.string(), late: z.int().nonnegative() })),
  forgotten: z.int().nonnegative(),
}) satisfies z.ZodType<Absorbed>;

const place = { after: z.string(), at: z.iso.datetime() };
const revisionSchema = z.discriminatedUnion('kind', [
  z.object({ ...place, kind: z.literal('policy'), policy: policySchema }),
  z.object({
    ...place,
    kind: z.literal('correction'),
    topic: z.enum(TOPICS),
    announced: announcedLevelSchema,
  }),
]) satisfies z.ZodType<Revision>;

const announcedSchema = z.object({
  events: z.array(z.object({ id: z.string(), sortKey: z.string() })),
  levels: z.partialRecord(z.enum(TOPICS), announcedLevelSchema),
}) satisfies z.ZodType<Announced>;

const logSchema = z.object({
  base: z.object({
    sortKey: z.string(),
    policy: policySchema.optional(),
    levels: levelsSchema,
    absorbed: absorbedSchema.optional(),
  }),
  calculations: z.array(calculationSchema),
  revisions: z.array(revisionSchema),
}) satisfies z.ZodType<CalculationLog>;

const VERSION = 1;

const stateSchema: z.ZodType<PositionState & { readonly version: typeof VERSION }> = z.object({
  version: z.literal(VERSION),
  decidedAt: z.iso.datetime(),
  log: logSchema,
  announced: announcedSchema,
  isSettled: z.boolean(),
  incompleteFrom: marketDateSchema.optional(),
  deeperLeftOut: z.int().min(1).optional(),
  future: z.array(
    z.object({
      calculatedAt: marketTimeSchema,
      tradingDay: marketTimeSchema,
      isForecast: z.boolean(),
      tradingMargin: decimalSchema.optional(),
      outstandingAmount: decimalSchema.optional(),
    }),
  ),
  firstPolledAt: z.iso.datetime().optional(),
  stale: z
    .object({
      lastCalculatedAt: marketTimeSchema,
      lastTradingDay: marketTimeSchema,
      allowedSeconds: z.number(),
      neverCalculated: z.literal(true).optional(),
    })
    .optional(),
  present: z
    .object({
      calculatedAt: marketTimeSchema,
      tradingMargin: decimalSchema,
      outstandingAmount: decimalSchema.optional(),
      level: z.enum(MARGIN_LEVELS),
      thresholds: thresholdsSchema.optional(),
    })
    .optional(),
});

/** @returns undefined when the text is not a saved state of a known version */
export function parsePositionState(text: string): PositionState | undefined {
  return parseSaved(stateSchema, text);
}

/** JSON with a `version`. */
export function formatPositionState(state: PositionState): string {
  return JSON.stringify(z.encode(stateSchema, { ...state, version: VERSION }));
}
