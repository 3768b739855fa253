import { DESIGNATIONS, designationsOf, MARKET_SERVICES } from '@ssb/market';
import { z } from 'zod';
import { getPreviousDesignation } from '../calendar/settlement-run.js';

/** `2s`, `1500ms` or `10m`, in milliseconds. */
const duration = z
  .string()
  .regex(/^\d+(?:ms|s|m)$/, 'expected a duration such as 1500ms, 2s or 10m')
  .transform(
    (text) =>
      parseInt(text, 10) * { ms: 1, s: 1_000, m: 60_000 }[text.replace(/^\d+/, '') as 'ms' | 's' | 'm'],
  );

/** AUD. */
const money = z
  .string()
  .regex(/^-?\d+\.\d{2}$/, "expected an amount with two digits after the point, in quotes: '0.00'");

const runName = z.string();
/** The pause after the step. */
const hold = duration;

/** A step of a scenario with an end. Days count from today in market time. */
const scenarioStep = z.union([
  /** A calculation made now, for today or another trading day. */
  z.strictObject({ margin: money, tradingDay: z.int().optional(), hold }),
  /** Forecasts made now, for tomorrow and the days after it. */
  z.strictObject({ forecast: z.array(money).min(1).max(14), hold }),
  z.strictObject({ statement: runName, hold }),
  /** The statement again, with a new run id and changed figures. */
  z.strictObject({ revise: runName, hold }),
  /** `reversed` is the reversal of the invoice that this one replaces; `offBy` is an error added to the total. */
  z.strictObject({
    invoice: runName,
    id: z.string(),
    reversed: z.string().optional(),
    offBy: money.optional(),
    hold,
  }),
  /** The timeline again, with changed days of the run. */
  z.strictObject({
    move: runName,
    statementDay: z.int(),
    invoiceDay: z.int(),
    settlementDay: z.int(),
    hold,
  }),
  /** The reporting API answers participants with this status for the duration `lasts`. */
  z.strictObject({ outage: z.union([z.literal(500), z.literal(503)]), lasts: duration, hold }),
]);

/** `08:30`, market time. */
const timeOfDay = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "expected a time of day in quotes: '08:30'");

/** A decimal(23,8) with all its digits. */
const controlFigure = z
  .string()
  .regex(/^[1-9]\d{14}\.\d{7}[1-9]$/, 'expected 15 digits, a point and 8 digits, in quotes')
  .optional();

/** The constant part of a prudential position. */
const book = z.strictObject({
  creditSupport: money,
  creditLimit: money,
  tradingLimit: money,
  prepayment: money,
  invoiceNotPaid: money,
});

/** Which details are published: those of the first `tradingDays` of each run, and those of calculations. */
const details = z
  .strictObject({ tradingDays: z.int().min(0).max(31), prudential: z.boolean() })
  .default({ tradingDays: 0, prudential: false });

const head = {
  about: z.string(),
  seed: z.string(),
  book,
  details,
};

/** Days count from today in market time: -14 is two weeks ago. */
const runDays = {
  marketService: z.enum(MARKET_SERVICES),
  designation: z.enum(DESIGNATIONS),
  commencementDay: z.int().optional(),
  statementDay: z.int(),
  invoiceDay: z.int(),
  settlementDay: z.int(),
  controlFigure,
};

/** A run of the days from `firstDay` to `lastDay`, or of a calendar month; month -2 is the one before last. */
const plannedRun = z
  .union([
    z
      .strictObject({ ...runDays, firstDay: z.int(), lastDay: z.int() })
      .refine(({ firstDay, lastDay }) => firstDay <= lastDay, 'expected firstDay not after lastDay'),
    z.strictObject({ ...runDays, month: z.int() }),
  ])
  .refine(isKnownDesignation, 'expected INITIAL, the only designation of STEM');

const once = z
  .strictObject({
    kind: z.literal('once'),
    ...head,
    runs: z.record(z.string(), plannedRun),
    steps: z.array(scenarioStep).min(1),
    expect: z.array(z.tuple([z.string(), z.string()])),
  })
  .superRefine(({ runs, steps }, context) => {
    steps.forEach((step, index) => {
      const name = getRunName(step);
      if (name === undefined || Object.hasOwn(runs, name)) return;
      context.addIssue({ code: 'custom', path: ['steps', index], message: `there is no run ${name}` });
    });
  });

/** A rule for the runs of all periods. Days count from the last trading day of a period; weekends move to Monday. */
const runRule = z
  .strictObject({
    marketService: z.enum(MARKET_SERVICES),
    period: z.enum(['week', 'month']),
    designation: z.enum(DESIGNATIONS),
    commencementAfter: z.int().min(1).optional(),
    statementAfter: z.int().min(1),
    invoiceAfter: z.int().min(1),
    settlementAfter: z.int().min(1),
    controlFigure,
  })
  .refine(isKnownDesignation, 'expected INITIAL, the only designation of STEM');

/** A sine wave of the margin with noise; `length` is its number of positions. */
const wave = z.strictObject({ centre: money, amplitude: money, noise: money, length: z.int().min(2) });

const endless = z.strictObject({
  kind: z.literal('endless'),
  ...head,
  positions: z.strictObject({
    every: duration,
    wave,
    /** Market times of a day's calculations, if the simulation follows the calendar. */
    calculations: z.array(timeOfDay).min(1).max(24).default(['08:00', '12:30', '17:00']),
    /** The number of coming trading days with a forecast. */
    forecastDays: z.int().min(0).max(14).default(0),
    /** In real time, every `forecastEvery`th calculation has forecasts and details. */
    forecastEvery: z.int().min(1).default(15),
  }),
  settlement: z.strictObject({
    every: duration,
    backlogWeeks: z.int().min(0).max(104),
    rules: z.array(runRule).min(1).superRefine(requireAdjustedRules),
  }),
});

export const scenarioSchema = z.discriminatedUnion('kind', [once, endless]);

export type Scenario = z.output<typeof scenarioSchema>;
export type OnceScenario = z.output<typeof once>;
export type EndlessScenario = z.output<typeof endless>;
export type ScenarioStep = z.output<typeof scenarioStep>;
export type CreditBook = z.output<typeof book>;
export type Details = z.output<typeof details>;
export type Wave = z.output<typeof wave>;
export type PlannedRun = z.output<typeof plannedRun>;
export type RunRule = z.output<typeof runRule>;

/** An adjustment needs a rule whose statement and invoice come before its own. */
function requireAdjustedRules(rules: readonly RunRule[], context: z.RefinementCtx): void {
  rules.forEach((rule, index) => {
    const before = getPreviousDesignation(rule.designation);
    const exists = rules.some(
      ({ marketService, period, designation, statementAfter, invoiceAfter }) =>
        marketService === rule.marketService &&
        period === rule.period &&
        designation === before &&
        statementAfter < rule.statementAfter &&
        invoiceAfter < rule.invoiceAfter,
    );
    if (before === undefined || exists) return;
    const message = `expected a rule of ${rule.marketService} for ${before} that comes before ${rule.designation}`;
    context.addIssue({ code: 'custom', path: [index], message });
  });
}

function isKnownDesignation(run: {
  marketService: (typeof MARKET_SERVICES)[number];
  designation: (typeof DESIGNATIONS)[number];
}): boolean {
  return designationsOf(run.marketService).includes(run.designation);
}

/** The name of the run in the step, if it has one. */
export function getRunName(step: ScenarioStep): string | undefined {
  if ('statement' in step) return step.statement;
  if ('revise' in step) return step.revise;
  if ('invoice' in step) return step.invoice;
  return 'move' in step ? step.move : undefined;
}
