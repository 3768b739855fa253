import { DESIGNATIONS, designationsOf, MARKET_SERVICES } from '@ssb/market';
import { z } from 'zod';
import { getPreviousDesignation } from '../calendar/settlement-run.js';
import { bridgeSettings, expectation } from './expectation.js';
import { creditBook, duration, money } from './fields.js';
import { highestParticipant, listRunNames, scenarioStep } from './scenario-step.js';

/** `08:30`, market time. */
const timeOfDay = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "expected a time of day in quotes: '08:30'");

/** A decimal(23,8) with all its digits. */
const controlFigure = z
  .string()
  .regex(/^[1-9]\d{14}\.\d{7}[1-9]$/, 'expected 15 digits, a point and 8 digits, in quotes')
  .optional();

/** Which details are published: those of the first `tradingDays` of each run, and those of calculations. */
const details = z
  .strictObject({ tradingDays: z.int().min(0).max(31), prudential: z.boolean() })
  .default({ tradingDays: 0, prudential: false });

const head = {
  about: z.string(),
  seed: z.string(),
  book: creditBook,
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
    settings: bridgeSettings,
    /** The first timeline has all runs, unless a step `timeline` comes later. */
    steps: z.array(scenarioStep).min(1),
    /** In the order of their causes. */
    expect: z.array(expectation, {
      error: 'expect must be a list of the events that must follow; [] for none',
    }),
    /** The number of position.calculated events of each participant. */
    calculations: z.int().min(0).default(0),
  })
  .superRefine(({ runs, steps }, context) => {
    steps.forEach((step, index) => {
      for (const name of listRunNames(step).filter((each) => !Object.hasOwn(runs, each)))
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
    /** Of several, the first that is a business day. */
    settlementAfter: z.union([z.int().min(1), z.array(z.int().min(1)).min(1)]),
    controlFigure,
  })
  .refine(isKnownDesignation, 'expected INITIAL, the only designation of STEM');

/** A sine wave of the margin with noise; `length` is its number of positions. */
const wave = z.strictObject({ centre: money, amplitude: money, noise: money, length: z.int().min(2) });

/** Margins in place of the wave, from the position `after` of every `every` positions. The wave's noise is added. */
const breach = z
  .strictObject({
    every: z.int().min(1),
    after: z.int().min(0),
    margins: z.array(money).min(1),
  })
  .refine(
    ({ every, after, margins }) => after + margins.length <= every,
    'expected margins that end before the next ones begin',
  );

const endless = z.strictObject({
  kind: z.literal('endless'),
  ...head,
  /** What comes first, in real time; one text each. */
  plays: z.array(z.string()).default([]),
  positions: z.strictObject({
    every: duration,
    wave,
    /** In real time only. */
    breach: breach.optional(),
    /** In real time, so many days before the first one have calculations too, with a margin that is less by `below`. */
    backlog: z
      .strictObject({ days: z.int().min(0).max(14), below: money })
      .default({ days: 0, below: '0.00' }),
    /** Market times of a day's calculations, if the simulation follows the calendar. */
    calculations: z.array(timeOfDay).min(1).max(24).default(['08:00', '12:30', '17:00']),
    /** The number of coming trading days with a forecast. */
    forecastDays: z.int().min(0).max(14).default(0),
    /** In real time, every `forecastEvery`th calculation has forecasts and details. */
    forecastEvery: z.int().min(1).default(15),
  }),
  settlement: z.strictObject({
    every: duration,
    /** In real time, how long after the start the first publication comes. */
    after: duration.default(0),
    /** In real time, how often a recent statement is revised. */
    revisions: z.strictObject({ every: duration, after: duration }).optional(),
    backlogWeeks: z.int().min(0).max(104),
    rules: z.array(runRule).min(1).superRefine(assertAdjustedRules),
  }),
});

export const scenarioSchema = z.discriminatedUnion('kind', [once, endless]);

export type Scenario = z.output<typeof scenarioSchema>;
export type OnceScenario = z.output<typeof once>;
export type EndlessScenario = z.output<typeof endless>;
export type Details = z.output<typeof details>;
export type Wave = z.output<typeof wave>;
export type Breach = z.output<typeof breach>;
export type PlannedRun = z.output<typeof plannedRun>;
export type RunRule = z.output<typeof runRule>;

/** An adjustment needs a rule whose statement and invoice come before its own. */
function assertAdjustedRules(rules: readonly RunRule[], context: z.RefinementCtx): void {
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

/** How many participants the scenario needs. */
export function countParticipants(scenario: Scenario): number {
  if (scenario.kind === 'endless') return 1;
  const expected = scenario.expect.map(({ participant = 1 }) => participant);
  return Math.max(1, ...expected, ...scenario.steps.map(highestParticipant));
}
