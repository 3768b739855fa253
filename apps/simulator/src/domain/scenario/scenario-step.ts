import { INVOICE_FILE_FORMS } from '@ssb/market/admin';
import { z } from 'zod';
import { bookChanges, duration, money, participantNumber, runName } from './fields.js';

/** The pause after the step. */
const hold = duration.default(0);
const forParticipants = { participant: participantNumber, hold };

/** A calculation made now, for today. */
const margin = z.strictObject({
  margin: money,
  /** Figures that differ from the scenario's `book`, in this calculation only. */
  book: bookChanges,
  ...forParticipants,
});

const MAX_FORECAST_DAYS = 14;

/** Forecasts made now, for tomorrow and the days after it. */
const forecast = z.strictObject({
  forecast: z.array(money).min(1).max(MAX_FORECAST_DAYS),
  ...forParticipants,
});

/** A decimal(23,8). */
const amount = z
  .string()
  .regex(
    /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,8})?$/,
    "expected at most 15 digits, and 8 after the point, in quotes: '0.00000001'",
  );

const MAX_FURTHER_VARIABLES = 20_000;

/** All variables of the statement, from this step on. */
const figures = z
  .strictObject({
    variables: z.array(
      z.strictObject({
        periodDay: z.int().min(1).max(31),
        variable: z.string().max(60),
        pOrC: z.enum(['P', 'C']),
        gstApplicable: z.enum(['Y', 'N']).default('Y'),
        value: amount,
      }),
    ),
    further: z.int().min(0).max(MAX_FURTHER_VARIABLES).default(0),
  })
  .optional();

/** `publishedDay` dates the publication back; without it, now. */
const statement = z.strictObject({
  statement: runName,
  figures,
  publishedDay: z.int().max(0).optional(),
  ...forParticipants,
});

/** The statement again, with a new run id and changed figures. `publishedDay` as for a statement. */
const revise = z.strictObject({
  revise: runName,
  publishedDay: z.int().max(0).optional(),
  figures,
  ...forParticipants,
});

/** The NSTEM estimation of one trading day of the run, counted from the first one. */
const estimation = z.strictObject({
  estimation: runName,
  periodDay: z.int().min(1).max(31),
  ...forParticipants,
});

const invoice = z.strictObject({
  invoice: runName,
  id: z.string(),
  /** The reversal of the invoice that this one replaces. */
  reversed: z.string().optional(),
  /** The date in the invoice; without it, that of the timeline. */
  invoiceDay: z.int().optional(),
  /** The payable amount; without it, the total. They differ by prepayments. */
  payable: money.optional(),
  /** An intentional error in a `previous` amount of an adjustment. */
  previousOffBy: money.optional(),
  ...forParticipants,
});

const publishing = z.union([margin, forecast, statement, revise, estimation, invoice]);

/** The timeline again, with changed days of the run. */
const move = z.strictObject({
  move: runName,
  statementDay: z.int().optional(),
  invoiceDay: z.int().optional(),
  settlementDay: z.int().optional(),
  hold,
});

/** The timeline with these runs. */
const timeline = z.strictObject({ timeline: z.array(runName), hold });

/** How the reporting API fails. */
export const OUTAGES = [403, 503, 'reset'] as const;

/** The reporting API fails for the duration `lasts`; without `interface`, in all operations. */
const outage = z.strictObject({
  outage: z.literal(OUTAGES),
  interface: z.enum(['prudential', 'settlement']).optional(),
  lasts: duration,
  ...forParticipants,
});

/** Operation 8 serves another document of the run: none, an HTML page, its first half, or the PDF padded to `bytes`, in so many responses. */
const invoiceFile = z.strictObject({
  invoiceFile: runName,
  as: z.enum(INVOICE_FILE_FORMS),
  bytes: z.int().min(1).optional(),
  times: z.int().min(1).default(1),
  ...forParticipants,
});

/** A step of a scenario with an end. Days count from today in market time. */
export const scenarioStep = z.union([publishing, move, timeline, outage, invoiceFile]);

export type ScenarioStep = z.output<typeof scenarioStep>;
/** A step whose records are about participants. */
export type PublishingStep = z.output<typeof publishing>;
export type OutageStep = z.output<typeof outage>;
export type InvoiceFileStep = z.output<typeof invoiceFile>;

/** The runs that the step names. */
export function listRunNames(step: ScenarioStep): string[] {
  if ('timeline' in step) return step.timeline;
  if ('statement' in step) return [step.statement];
  if ('revise' in step) return [step.revise];
  if ('estimation' in step) return [step.estimation];
  if ('invoice' in step) return [step.invoice];
  if ('invoiceFile' in step) return [step.invoiceFile];
  return 'move' in step ? [step.move] : [];
}

/** The highest number of a participant in the step; 0 when it is for all. */
export function highestParticipant(step: ScenarioStep): number {
  return 'participant' in step ? (step.participant ?? 0) : 0;
}
