import { DESIGNATIONS, designationsOf, MARKET_SERVICES } from '@ssb/market';
import { z } from 'zod';

/** `2s`, `1500ms` or `10m`, in milliseconds. */
const duration = z
  .string()
  .regex(/^\d+(?:ms|s|m)$/, 'expected a duration such as 1500ms, 2s or 10m')
  .transform(
    (text) =>
      parseInt(text, 10) * { ms: 1, s: 1_000, m: 60_000 }[text.replace(/^\d+/, '') as 'ms' | 's' | 'm'],
  );

const money = z
  .string()
  .regex(/^-?\d+\.\d{2}$/, "expected an amount with two digits after the point, in quotes: '0.00'");

/** A decimal(23,8) that uses all of its digits. */
const controlFigure = z
  .string()
  .regex(/^[1-9]\d{14}\.\d{7}[1-9]$/, 'expected 15 digits, a point and 8 digits, in quotes')
  .optional();

const book = z.strictObject({
  creditSupport: money,
  creditLimit: money,
  tradingLimit: money,
  prepayment: money,
  invoiceNotPaid: money,
});

const head = {
  about: z.string(),
  seed: z.string(),
  book,
};

/** Days count from today in market time: -14 is two weeks ago. */
const plannedRun = z
  .strictObject({
    marketService: z.enum(MARKET_SERVICES),
    designation: z.enum(DESIGNATIONS),
    firstDay: z.int(),
    lastDay: z.int(),
    statementDay: z.int(),
    invoiceDay: z.int(),
    settlementDay: z.int(),
    controlFigure,
  })
  .refine(({ firstDay, lastDay }) => firstDay <= lastDay, 'expected firstDay not after lastDay')
  .refine(knownDesignation, 'expected INITIAL, the only designation of STEM');

const scene = z.union([
  z.strictObject({ margin: money, hold: duration }),
  z.strictObject({ statement: z.string(), hold: duration }),
  z.strictObject({ invoice: z.string(), id: z.string(), hold: duration }),
]);

const once = z
  .strictObject({
    kind: z.literal('once'),
    ...head,
    runs: z.record(z.string(), plannedRun),
    scenes: z.array(scene).min(1),
    expect: z.array(z.tuple([z.string(), z.string()])),
  })
  .superRefine(({ runs, scenes }, context) => {
    scenes.forEach((each, index) => {
      const name = 'statement' in each ? each.statement : 'invoice' in each ? each.invoice : undefined;
      if (name === undefined || Object.hasOwn(runs, name)) return;
      context.addIssue({ code: 'custom', path: ['scenes', index], message: `there is no run ${name}` });
    });
  });

/** A rule that makes runs: days count from the last trading day of each period; weekends move to Monday. */
const runRule = z
  .strictObject({
    marketService: z.enum(MARKET_SERVICES),
    period: z.enum(['week', 'month']),
    designation: z.enum(DESIGNATIONS),
    statementAfter: z.int().min(1),
    invoiceAfter: z.int().min(1),
    settlementAfter: z.int().min(1),
    controlFigure,
  })
  .refine(knownDesignation, 'expected INITIAL, the only designation of STEM');

const endless = z.strictObject({
  kind: z.literal('endless'),
  ...head,
  positions: z.strictObject({
    every: duration,
    wave: z.strictObject({ centre: money, amplitude: money, noise: money, length: z.int().min(2) }),
  }),
  settlement: z.strictObject({
    every: duration,
    backlogWeeks: z.int().min(0).max(104),
    rules: z.array(runRule).min(1),
  }),
});

export const scenarioSchema = z.discriminatedUnion('kind', [once, endless]);

export type Scenario = z.output<typeof scenarioSchema>;
export type OnceScenario = z.output<typeof once>;
export type EndlessScenario = z.output<typeof endless>;
export type PlannedRun = z.output<typeof plannedRun>;
export type RunRule = z.output<typeof runRule>;

function knownDesignation(run: {
  marketService: (typeof MARKET_SERVICES)[number];
  designation: (typeof DESIGNATIONS)[number];
}): boolean {
  return designationsOf(run.marketService).includes(run.designation);
}
