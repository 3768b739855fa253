import { MAX_DISAGREEMENT_DAYS, SEVERITIES } from '@ssb/events';
import type { MarketService } from '@ssb/market';
import { z } from 'zod';
import { duration, eachOnce, strict, text } from '../schema-values.js';
import { PERCENTAGE, POSITIVE_AMOUNT, POSITIVE_THRESHOLD, THRESHOLD } from './threshold.js';
import { DAY_RANGE } from './weekdays.js';

/** The largest `forecast.horizonDays`. */
export const MAX_HORIZON_DAYS = 31;
const MIN_TREND_CALCULATIONS = 3;
const MAX_TREND_CALCULATIONS = 1_000;
const MAX_REMINDERS = 10;
const MAX_REMINDER_DAYS = 366;
/** Entries of a list of days. */
const MAX_DAY_RANGES = 7;
const MAX_HOLIDAYS = 1_000;

const IN_QUOTES = 'must be an amount in quotes, so that no digit is lost';
const threshold = text({
  form: THRESHOLD,
  must: 'must be an amount such as "250000.00", or a share of the trading limit from "-100%" to "100%", in quotes',
  mustBeText: IN_QUOTES,
});
const positiveThreshold = text({
  form: POSITIVE_THRESHOLD,
  must: 'must be an amount of 0 or more such as "25000.00", or a share of the trading limit from "0%" to "100%", in quotes',
  mustBeText: IN_QUOTES,
});
const positiveAmount = text({
  form: POSITIVE_AMOUNT,
  must: 'must be an amount of 0 or more such as "0.01", in quotes',
  mustBeText: IN_QUOTES,
});
const RATE = 'must be a rate in per cent from "0" to "100", in quotes and without a percent sign';
const percentage = text({ form: PERCENTAGE, must: RATE, mustBeText: RATE });

const DAY =
  'must be a day such as mon or a range such as mon-fri; the days are mon, tue, wed, thu, fri, sat, sun';
const days = z
  .array(text({ form: DAY_RANGE, must: DAY, mustBeText: DAY }))
  .min(1)
  .max(MAX_DAY_RANGES);

const EXISTING_DATE = z.iso.date();
const DATE = 'must be a date that exists, such as "2026-12-25" in quotes';
const date = text({
  form: { test: (value) => EXISTING_DATE.safeParse(value).success, form: /^\d{4}-\d\d-\d\d$/ },
  must: DATE,
  mustBeText: DATE,
});

const reminders = z
  .array(z.int().min(0).max(MAX_REMINDER_DAYS))
  .max(MAX_REMINDERS)
  .superRefine(eachOnce('number of days'));

const disagreementReminders = z
  .array(
    z
      .int()
      .min(0)
      .max(MAX_DISAGREEMENT_DAYS - 1),
  )
  .max(MAX_REMINDERS)
  .superRefine(eachOnce('number of business days'));

/** How long the statements of a designation may be disputed. */
const disagreementWindow = strict({
  /** Business days after the day of the publication. */
  businessDays: z.int().min(1).max(MAX_DISAGREEMENT_DAYS),
  /** Default: `disagreement.remind`. */
  remind: disagreementReminders.optional(),
}).optional();
const initial = { INITIAL: disagreementWindow };
const adjusted = { ...initial, ADJ1: disagreementWindow, ADJ2: disagreementWindow, ADJ3: disagreementWindow };

/** Written here, because `MARKET_SERVICES` of @ssb/market loads its HTTP client into every app that reads the file. */
const MARKETS = ['WEM', 'NSTEM', 'STEM'] as const satisfies readonly MarketService[];
const markets = z.array(z.enum(MARKETS)).min(1).superRefine(eachOnce('market'));

const severity = z.enum(SEVERITIES);

/**
 * How facts are detected: keys of `defaults` and of each participant. Every key is optional, because a participant's takes precedence over
 * that of `defaults`, and this over `DETECTION_DEFAULTS`.
 */
export const detectionSchema = strict({
  margin: strict({
    /** Below this the margin is a warning. */
    warning: threshold.optional(),
    /** Below this the margin is breached. */
    breach: threshold.optional(),
    /** How far above a threshold the margin must rise to leave its level. */
    hysteresis: positiveThreshold.optional(),
    /** A breach is announced again when the margin fell by so much since it was last announced. 0: never. */
    deepeningStep: positiveThreshold.optional(),
    /** How long a worse level must last before it is announced. */
    minDuration: duration('0s', '7d').optional(),
    severity: strict({
      warning: severity.optional(),
      breached: severity.optional(),
      restored: severity.optional(),
    }).optional(),
  }).optional(),
  forecast: strict({
    horizonDays: z.int().min(1).max(MAX_HORIZON_DAYS).optional(),
    trend: strict({
      method: z.enum(['linear', 'none']).optional(),
      calculations: z.int().min(MIN_TREND_CALCULATIONS).max(MAX_TREND_CALCULATIONS).optional(),
      minSpan: duration('0s', '31d').optional(),
    }).optional(),
  }).optional(),
  position: strict({
    staleAfter: duration('1s', '31d').optional(),
    days: days.optional(),
  }).optional(),
  settlement: strict({
    overdueGrace: duration('0s', '31d').optional(),
    estimations: z.boolean().optional(),
    /** Markets in which the participant has business. */
    markets: markets.optional(),
  }).optional(),
  payments: strict({
    /** No entry: no reminder. */
    remindDaysBefore: reminders.optional(),
    days: z.enum(['calendar', 'business']).optional(),
    positiveAmount: z.enum(['pay', 'receive']).optional(),
  }).optional(),
  /** The rules of the markets about notices of disagreement. A designation without an entry has no last day. */
  disagreement: strict({
    /** Business days before the last day; no entry: no reminder. */
    remind: disagreementReminders.optional(),
    markets: strict({
      WEM: strict(adjusted).optional(),
      NSTEM: strict(adjusted).optional(),
      STEM: strict(initial).optional(),
    } satisfies Record<MarketService, unknown>).optional(),
  }).optional(),
  discrepancies: strict({
    gstPercent: percentage.optional(),
    gstTolerance: positiveAmount.optional(),
  }).optional(),
  market: strict({
    unreachableAfter: duration('1s', '7d').optional(),
  }).optional(),
});

/** Keys of the calendar, at the top level of the file. */
export const calendarShape = {
  businessDays: days.optional(),
  /** Market dates that are not business days. */
  holidays: z.array(date).max(MAX_HOLIDAYS).optional(),
};

/** Settings of detection as the file has them. */
export type DetectionOptions = z.output<typeof detectionSchema>;

/** The margin thresholds have no default: each participant needs them. */
export const REQUIRED_MARGIN_KEYS = ['warning', 'breach', 'hysteresis'] as const;

/** The value of each key that neither a participant nor `defaults` has. */
export const DETECTION_DEFAULTS = {
  margin: {
    deepeningStep: '100000.00',
    minDuration: '0s',
    severity: { warning: 'warning', breached: 'critical', restored: 'info' },
  },
  forecast: { horizonDays: 3, trend: { method: 'linear', calculations: 10, minSpan: '6h' } },
  position: { staleAfter: '26h', days: ['mon-sun'] },
  settlement: { overdueGrace: '1h', estimations: false, markets: [...MARKETS] },
  payments: { remindDaysBefore: [5, 1], days: 'calendar', positiveAmount: 'pay' },
  disagreement: { remind: [5, 1], markets: {} },
  discrepancies: { gstPercent: '10', gstTolerance: '0.01' },
  market: { unreachableAfter: '10m' },
} satisfies DetectionOptions;

export const DEFAULT_BUSINESS_DAYS = ['mon-fri'];
