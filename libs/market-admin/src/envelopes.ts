import { type Designation, DESIGNATIONS, MARKET_SERVICES } from '@ssb/market';
import {
  brokenDesignation,
  type BrokenRule,
  dateTime,
  defineResource,
  filledText,
  type Form,
  prudentialCalculationSchema,
  settlementCycleTimelineSchema,
  settlementInvoiceSchema,
  settlementOutputDetailsSchema,
  settlementOutputSchema,
  settlementStatementSummarySchema,
} from '@ssb/market/schemas';
import { z } from 'zod';

/**
 * What is posted at the operator's door, our own way of filling a reporting service. Around a record of document 000 stands
 * whatever its place in the service needs and the record itself does not say.
 */
export const OPERATOR_PATHS = {
  prudential: '/operator/v1/prudential',
  prudentialDetails: '/operator/v1/prudential-details',
  prudentialEstimations: '/operator/v1/prudential-estimations',
  statements: '/operator/v1/statements',
  statementDetails: '/operator/v1/statement-details',
  statementEstimations: '/operator/v1/statement-estimations',
  invoices: '/operator/v1/invoices',
  timelines: '/operator/v1/timelines',
} as const;

/** A code is something that can be printed and typed; SQL text cannot even hold a zero character. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]+$/u;
const NOT_PRINTABLE = 'expected a code of printable characters';

const participantCode = () =>
  filledText(60)
    .refine((code) => PRINTABLE.test(code), NOT_PRINTABLE)
    .meta({ minLength: 1, maxLength: 60 });

const prudentialLoadSchema = (form: Form) =>
  form.object({ participantCode: participantCode(), calculation: prudentialCalculationSchema(form) });

/** Around the low-level figures of one trading day: whose they are and which calculation they belong to. */
const outputLoadSchema = (form: Form) =>
  form.object({
    participantCode: participantCode(),
    calculatedAt: dateTime(),
    output: settlementOutputSchema(form),
  });

const statementLoadSchema = (form: Form) =>
  form.object({ statement: settlementStatementSummarySchema(form) });

const outputDetailsLoadSchema = (form: Form) => form.object({ details: settlementOutputDetailsSchema(form) });

const invoiceLoadSchema = (form: Form) =>
  form.object({
    participantCode: participantCode(),
    marketService: z.enum(MARKET_SERVICES),
    /** First trading day of the period that the invoice is for. */
    periodFrom: form.date(),
    designation: z.enum(DESIGNATIONS),
    invoice: settlementInvoiceSchema(form),
  });

const timelineLoadSchema = (form: Form) => form.object({ timeline: settlementCycleTimelineSchema(form) });

export type PrudentialLoad = z.output<ReturnType<typeof prudentialLoadSchema>>;
/** A detail (operation 3) or an NSTEM estimation (operation 4), told apart by the path. */
export type OutputLoad = z.output<ReturnType<typeof outputLoadSchema>>;
/** A settlement detail (operation 6) or an NSTEM estimation (operation 7), told apart by the path. */
export type OutputDetailsLoad = z.output<ReturnType<typeof outputDetailsLoadSchema>>;
export type StatementLoad = z.output<ReturnType<typeof statementLoadSchema>>;
export type InvoiceLoad = z.output<ReturnType<typeof invoiceLoadSchema>>;
export type TimelineLoad = z.output<ReturnType<typeof timelineLoadSchema>>;

export const PrudentialLoad = defineResource('PrudentialLoad', (form) =>
  form.rule(prudentialLoadSchema(form), brokenPrudentialRules),
);
export const PrudentialDetailLoad = defineResource('PrudentialDetailLoad', (form) =>
  form.rule(outputLoadSchema(form), brokenOutputRules),
);
export const PrudentialEstimationLoad = defineResource('PrudentialEstimationLoad', (form) =>
  form.rule(outputLoadSchema(form), brokenOutputRules),
);
export const StatementDetailLoad = defineResource('StatementDetailLoad', (form) =>
  form.rule(outputDetailsLoadSchema(form), brokenDetailsRules),
);
export const StatementEstimationLoad = defineResource('StatementEstimationLoad', (form) =>
  form.rule(outputDetailsLoadSchema(form), brokenEstimationRules),
);
export const StatementLoad = defineResource('StatementLoad', (form) =>
  form.rule(statementLoadSchema(form), brokenStatementRules),
);
export const InvoiceLoad = defineResource('InvoiceLoad', (form) =>
  form.rule(invoiceLoadSchema(form), brokenInvoiceRules),
);
export const TimelineLoad = defineResource('TimelineLoad', timelineLoadSchema);

/** A calculation is found again by its trading day and its time, so at this door both must be there. */
function brokenPrudentialRules({ participantCode, calculation }: PrudentialLoad): BrokenRule[] {
  const missing = (['tradingDay', 'calculatedAt'] as const)
    .filter((field) => calculation[field] === undefined)
    .map((field) => ({ path: ['calculation', field], message: 'expected a value' }));
  const whose = calculation.participantCode ?? participantCode;
  const mixedUp = {
    path: ['calculation', 'participantCode'],
    message: `expected ${participantCode} or nothing`,
  };
  return whose === participantCode ? missing : [...missing, mixedUp];
}

/** The figures of a day are asked for by their day. */
function brokenOutputRules({ output }: OutputLoad): BrokenRule[] {
  if (output.tradingDay !== undefined) return [];
  return [{ path: ['output', 'tradingDay'], message: 'expected a value' }];
}

function brokenStatementRules({ statement }: StatementLoad): BrokenRule[] {
  return brokenKey(statement.participantCode, ['statement', 'participantCode']);
}

function brokenDetailsRules({ details }: OutputDetailsLoad): BrokenRule[] {
  return brokenKey(details.participantCode, ['details', 'participantCode']);
}

/** What a record is kept and found by. */
function brokenKey(code: string, path: string[]): BrokenRule[] {
  return PRINTABLE.test(code) ? [] : [{ path, message: NOT_PRINTABLE }];
}

/** Operation 7 knows NSTEM only. */
function brokenEstimationRules(load: OutputDetailsLoad): BrokenRule[] {
  const broken = brokenDetailsRules(load);
  if (load.details.marketService === 'NSTEM') return broken;
  return [
    ...broken,
    {
      path: ['details', 'marketService'],
      message: 'expected NSTEM, the only market service with estimations',
    },
  ];
}

function brokenInvoiceRules({ marketService, designation, invoice }: InvoiceLoad): BrokenRule[] {
  const broken = [
    ...brokenKey(invoice.id, ['invoice', 'id']),
    ...brokenDesignation({ marketService, designation }),
  ];
  if (invoice.market !== marketService)
    broken.push({ path: ['invoice', 'market'], message: `expected ${marketService}, as around the invoice` });
  return [...broken, ...brokenVersion(designation, invoice.adjustment)];
}

/** "0 = initial version, 1 to 3 = adjustment version": which adjustment has which of the three is not said. */
function brokenVersion(designation: Designation, adjustment: number | null | undefined): BrokenRule[] {
  if (adjustment === undefined || adjustment === null) return [];
  if ((adjustment === 0) === (designation === 'INITIAL')) return [];
  const expected = designation === 'INITIAL' ? '0' : '1 to 3';
  return [{ path: ['invoice', 'adjustment'], message: `expected ${expected} for ${designation}` }];
}

/** The door's answer: 201 with `loaded: true`, or 200 with `loaded: false` for a record that is there already. */
export const LoadAnswer = defineResource('LoadAnswer', (form) => form.object({ loaded: z.boolean() }));
export type LoadAnswer = z.output<typeof LoadAnswer.strict>;
