import { MAX_REPETITIONS } from '@ssb/events';
import { DESIGNATIONS, isDecimal, isMarketDate, isMarketDateTime, MARKET_SERVICES } from '@ssb/market';
import { z } from 'zod';
import { parseSaved } from '../../state/parse-saved.js';
import { alternation } from './alternation.js';

/** Version of the saved form. The text of a later version is not read. */
const VERSION = 1;
const MAX_INT32 = 2_147_483_647;

const version = z.literal(VERSION);
const date = z.string().refine(isMarketDate);
const dateTime = z.string().refine(isMarketDateTime);
const decimal = z.string().refine(isDecimal);
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const marketService = z.enum(MARKET_SERVICES);
const designation = z.enum(DESIGNATIONS);
const runId = z.int().min(1).max(MAX_INT32);
/** Ids of the latest events that were raised. */
const raised = z.array(z.string()).readonly();
/** Events of changes that were announced before. */
const repetitions = z.int().min(0).max(MAX_REPETITIONS).optional();
/** Repeated changes since the latest raised one. */
const leftOut = z.int().min(1).optional();
const versions = { raised, repetitions, leftOut, alternation: alternation.readonly().optional() };

/** The day of the latest overdue event. */
const overdue = date.optional();

/** The time to dispute one publication of a statement. */
const disagreementWindow = z
  .object({
    runId,
    publishedAt: dateTime,
    /** Absent in states of an earlier release. */
    digest: digest.optional(),
    /** The reminder that was raised last; absent before the first one, and once the last day has passed. */
    reminded: z
      .object({ disagreeUntil: date, reminder: z.int().min(0) })
      .readonly()
      .optional(),
  })
  .readonly();

const statementState = z
  .object({
    version,
    /** The run was in the timeline and its statement was not there. */
    watched: z.literal(true).optional(),
    overdue,
    current: z
      .object({
        runId,
        figures: z
          .object({
            publishedAt: dateTime,
            totals: z.object({ payment: decimal, charge: decimal }).readonly(),
            digest,
          })
          .readonly(),
      })
      .readonly()
      .optional(),
    /** Those of replaced versions that are not over, and that of the present version once it was reminded of. */
    windows: z.array(disagreementWindow).readonly().optional(),
    /** Windows above the bound, and the last day of the longest of them. */
    windowsLeftOut: z
      .object({ count: z.int().min(1), until: date })
      .readonly()
      .optional(),
    ...versions,
  })
  .readonly();

/** Sums of a tax invoice that a later adjustment names as its previous amounts. */
const taxSums = z
  .object({ gstApplicable: decimal.optional(), gstFree: decimal.optional(), gst: decimal.optional() })
  .readonly();

const invoiceState = z
  .object({
    version,
    watched: z.literal(true).optional(),
    overdue,
    current: z
      .object({
        id: z.string(),
        /** When this version was first seen; its age decides how often it is requested again. */
        seenAt: z.iso.datetime(),
        figures: z
          .object({
            digest,
            market: marketService,
            designation,
            periodFrom: dateTime,
            reversedId: z.string().optional(),
            /** The invoice began to name `reversedId` after it was first seen. */
            isReversed: z.literal(true).optional(),
            dueDate: date,
            total: decimal.optional(),
            payableAmount: decimal.optional(),
            settlementRequired: z.boolean().optional(),
            /** Digest of the earlier invoice's sums, once they were compared. */
            comparedWith: digest.optional(),
            taxSums: z
              .object({ recipientCreatedTaxInvoice: taxSums.optional(), taxInvoice: taxSums.optional() })
              .readonly(),
          })
          .readonly(),
      })
      .readonly()
      .optional(),
    ...versions,
    reminders: raised,
  })
  .readonly();

const run = z
  .object({
    marketService,
    period: z.string(),
    periodFrom: dateTime,
    periodTo: dateTime,
    designation,
    commencementDate: dateTime.optional(),
    statementDate: dateTime,
    invoiceDate: dateTime,
    settlementDate: dateTime,
  })
  .readonly();

const timelineState = z
  .object({
    version,
    /** Invoice days whose runs are all known; absent before the first complete response. */
    window: z.object({ from: date, to: date }).readonly().optional(),
    /** In the order of their invoice days. */
    runs: z.array(run).readonly(),
    /** Runs that were announced as removed, with their last known dates. */
    vanished: z.array(run).readonly().optional(),
    /** Since when complete responses have no run; absent when the latest one has runs. */
    emptySince: z.iso.datetime().optional(),
    /** Changes of runs that were announced in the last days. */
    announced: z
      .array(z.object({ change: z.string(), at: z.iso.datetime() }).readonly())
      .readonly()
      .optional(),
    /** Runs whose dates come and go. */
    alternating: z
      .array(alternation.extend({ run: z.string() }).readonly())
      .readonly()
      .optional(),
    /** Number of timeline.changed events so far. */
    revision: z.int().min(0).max(MAX_INT32),
  })
  .readonly();

const estimationState = z
  .object({
    version,
    current: z.object({ runId, publishedAt: dateTime, digest }).readonly().optional(),
    ...versions,
  })
  .readonly();

export type StatementState = z.infer<typeof statementState>;
export type StatementVersion = NonNullable<StatementState['current']>;
export type DisagreementWindow = z.infer<typeof disagreementWindow>;
export type InvoiceState = z.infer<typeof invoiceState>;
export type InvoiceVersion = NonNullable<InvoiceState['current']>;
export type InvoiceFigures = NonNullable<InvoiceVersion['figures']>;
export type TaxSums = z.infer<typeof taxSums>;
export type TimelineState = z.infer<typeof timelineState>;
export type EstimationState = z.infer<typeof estimationState>;
export type SettlementState = StatementState | InvoiceState | TimelineState | EstimationState;

export const NEW_STATEMENT: StatementState = { version: VERSION, raised: [] };
export const NEW_INVOICE: InvoiceState = { version: VERSION, raised: [], reminders: [] };
export const NEW_TIMELINE: TimelineState = { version: VERSION, runs: [], revision: 0 };
export const NEW_ESTIMATION: EstimationState = { version: VERSION, raised: [] };

/** @returns undefined when the text is not a state of a known release */
export function parseStatementState(text: string): StatementState | undefined {
  return parseSaved(statementState, text);
}

/** @returns undefined when the text is not a state of a known release */
export function parseInvoiceState(text: string): InvoiceState | undefined {
  return parseSaved(invoiceState, text);
}

/** @returns undefined when the text is not a state of a known release */
export function parseTimelineState(text: string): TimelineState | undefined {
  return parseSaved(timelineState, text);
}

/** @returns undefined when the text is not a state of a known release */
export function parseEstimationState(text: string): EstimationState | undefined {
  return parseSaved(estimationState, text);
}

/** JSON with a `version`. */
export function formatState(state: SettlementState): string {
  return JSON.stringify(state);
}
