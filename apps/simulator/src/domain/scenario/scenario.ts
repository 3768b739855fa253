import { DESIGNATIONS, designationsOf, MARKET_SERVICES } from '@ssb/market';
import { z } from 'zod';
import { designationBefore } from '../calendar/settlement-run.js';

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

const run = z.string();
/** How long nothing else happens afterwards. */
const hold = duration;

/** A step of a scenario with an end. Days count from today in market time. */
const scenarioStep = z.union([
  /** A calculation made now: of today, or of another trading day that is calculated again. */
  z.strictObject({ margin: money, tradingDay: z.int().optional(), hold }),
  /** Forecasts made now, for tomorrow and the days after it. */
  z.strictObject({ forecast: z.array(money).min(1).max(14), hold }),
  z.strictObject({ statement: run, hold }),
  /** The run once more: a new run id and figures that moved. */
  z.strictObject({ revise: run, hold }),
  /** `reversed`: the reversal of the invoice that this one replaces; `offBy`: what its total is wrong by. */
  z.strictObject({
    invoice: run,
    id: z.string(),
    reversed: z.string().optional(),
    offBy: money.optional(),
    hold,
  }),
  /** The timeline again, with other days for the run. */
  z.strictObject({
    move: run,
    statementDay: z.int(),
    invoiceDay: z.int(),
    settlementDay: z.int(),
    hold,
  }),
  /** The participants' side of the service fails with this status for so long. */
  z.strictObject({ outage: z.union([z.literal(500), z.literal(503)]), lasts: duration, hold }),
]);

/** `08:30`, market time. */
const timeOfDay = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "expected a time of day in quotes: '08:30'");

/** A decimal(23,8) that uses all of its digits. */
const controlFigure = z
  .string()
  .regex(/^[1-9]\d{14}\.\d{7}[1-9]$/, 'expected 15 digits, a point and 8 digits, in quotes')
  .optional();

/** The part of a prudential position that is constant in a simulation. */
const book = z.strictObject({
  creditSupport: money,
  creditLimit: money,
  tradingLimit: money,
  prepayment: money,
  invoiceNotPaid: money,
});

/** How much stands behind the figures: so many trading days of each run, and each calculation's own detail. */
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

/** A run of the days from `firstDay` to `lastDay`, or of a calendar month: -2 is the month before last. */
const plannedRun = z
  .union([
    z
      .strictObject({ ...runDays, firstDay: z.int(), lastDay: z.int() })
      .refine(({ firstDay, lastDay }) => firstDay <= lastDay, 'expected firstDay not after lastDay'),
    z.strictObject({ ...runDays, month: z.int() }),
  ])
  .refine(knownDesignation, 'expected INITIAL, the only designation of STEM');

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
      const name = runNamedBy(step);
      if (name === undefined || Object.hasOwn(runs, name)) return;
      context.addIssue({ code: 'custom', path: ['steps', index], message: `there is no run ${name}` });
    });
  });

/** A rule that makes runs: days count from the last trading day of each period; weekends move to Monday. */
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
  .refine(knownDesignation, 'expected INITIAL, the only designation of STEM');

/** A slow swing of the margin with noise on it; `length` is the number of positions of one swing. */
const wave = z.strictObject({ centre: money, amplitude: money, noise: money, length: z.int().min(2) });

const endless = z.strictObject({
  kind: z.literal('endless'),
  ...head,
  positions: z.strictObject({
    every: duration,
    wave,
    /** When a day's calculations are made, where the simulation follows the market's calendar. */
    calculations: z.array(timeOfDay).min(1).max(24).default(['08:00', '12:30', '17:00']),
    /** For so many coming trading days a forecast is made, */
    forecastDays: z.int().min(0).max(14).default(0),
    /** together with each calculation of this number, details included. */
    forecastEvery: z.int().min(1).default(15),
  }),
  settlement: z.strictObject({
    every: duration,
    backlogWeeks: z.int().min(0).max(104),
    rules: z.array(runRule).min(1).superRefine(adjustsWhatIsThere),
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

/** An adjustment is never made of what was not stated and invoiced before it. */
function adjustsWhatIsThere(rules: readonly RunRule[], context: z.RefinementCtx): void {
  rules.forEach((rule, index) => {
    const before = designationBefore(rule.designation);
    const isThere = rules.some(
      ({ marketService, period, designation, statementAfter, invoiceAfter }) =>
        marketService === rule.marketService &&
        period === rule.period &&
        designation === before &&
        statementAfter < rule.statementAfter &&
        invoiceAfter < rule.invoiceAfter,
    );
    if (before === undefined || isThere) return;
    const message = `expected a rule of ${rule.marketService} for ${before} that comes before ${rule.designation}`;
    context.addIssue({ code: 'custom', path: [index], message });
  });
}

function knownDesignation(run: {
  marketService: (typeof MARKET_SERVICES)[number];
  designation: (typeof DESIGNATIONS)[number];
}): boolean {
  return designationsOf(run.marketService).includes(run.designation);
}

/** The run that a step is about, if it is about one. */
export function runNamedBy(step: ScenarioStep): string | undefined {
  if ('statement' in step) return step.statement;
  if ('revise' in step) return step.revise;
  if ('invoice' in step) return step.invoice;
  return 'move' in step ? step.move : undefined;
}
