import { type Designation, DESIGNATIONS, MARKET_SERVICES } from '../values/market-service.js';
import {
  checkDesignation,
  type RuleViolation,
  dateTime,
  defineResource,
  filledText,
  type SchemaBuilder,
  prudentialCalculationSchema,
  settlementCycleTimelineSchema,
  settlementInvoiceSchema,
  settlementOutputDetailsSchema,
  settlementOutputSchema,
  settlementStatementSummarySchema,
} from '../schemas.js';
import { z } from 'zod';

/** A code must be printable; PostgreSQL text cannot store a zero character. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]+$/u;
const NOT_PRINTABLE = 'expected a code of printable characters';

const participantCode = () =>
  filledText(60)
    .refine((code) => PRINTABLE.test(code), NOT_PRINTABLE)
    .meta({ minLength: 1, maxLength: 60 });

const prudentialRecordSchema = (builder: SchemaBuilder) =>
  builder.object({ participantCode: participantCode(), calculation: prudentialCalculationSchema(builder) });

/** The low-level figures of one trading day, with their participant and calculation. */
const outputRecordSchema = (builder: SchemaBuilder) =>
  builder.object({
    participantCode: participantCode(),
    calculatedAt: dateTime(),
    output: settlementOutputSchema(builder),
  });

const statementRecordSchema = (builder: SchemaBuilder) =>
  builder.object({ statement: settlementStatementSummarySchema(builder) });

const outputDetailsRecordSchema = (builder: SchemaBuilder) =>
  builder.object({ details: settlementOutputDetailsSchema(builder) });

const invoiceRecordSchema = (builder: SchemaBuilder) =>
  builder.object({
    participantCode: participantCode(),
    marketService: z.enum(MARKET_SERVICES),
    /** First trading day of the invoice's period. */
    periodFrom: builder.date(),
    designation: z.enum(DESIGNATIONS),
    invoice: settlementInvoiceSchema(builder),
  });

const timelineRecordSchema = (builder: SchemaBuilder) =>
  builder.object({ timeline: settlementCycleTimelineSchema(builder) });

export type PrudentialRecord = z.output<ReturnType<typeof prudentialRecordSchema>>;
/** A detail (operation 3) or an NSTEM estimation (operation 4), depending on the path. */
export type OutputRecord = z.output<ReturnType<typeof outputRecordSchema>>;
/** A settlement detail (operation 6) or an NSTEM estimation (operation 7), depending on the path. */
export type OutputDetailsRecord = z.output<ReturnType<typeof outputDetailsRecordSchema>>;
export type StatementRecord = z.output<ReturnType<typeof statementRecordSchema>>;
export type InvoiceRecord = z.output<ReturnType<typeof invoiceRecordSchema>>;
export type TimelineRecord = z.output<ReturnType<typeof timelineRecordSchema>>;

export const PrudentialRecord = defineResource('PrudentialRecord', (builder) =>
  builder.rule(prudentialRecordSchema(builder), checkPrudential),
);
export const PrudentialDetailRecord = defineResource('PrudentialDetailRecord', (builder) =>
  builder.rule(outputRecordSchema(builder), checkOutput),
);
export const PrudentialEstimationRecord = defineResource('PrudentialEstimationRecord', (builder) =>
  builder.rule(outputRecordSchema(builder), checkOutput),
);
export const StatementDetailRecord = defineResource('StatementDetailRecord', (builder) =>
  builder.rule(outputDetailsRecordSchema(builder), checkDetails),
);
export const StatementEstimationRecord = defineResource('StatementEstimationRecord', (builder) =>
  builder.rule(outputDetailsRecordSchema(builder), checkEstimation),
);
export const StatementRecord = defineResource('StatementRecord', (builder) =>
  builder.rule(statementRecordSchema(builder), checkStatement),
);
export const InvoiceRecord = defineResource('InvoiceRecord', (builder) =>
  builder.rule(invoiceRecordSchema(builder), checkInvoice),
);
export const TimelineRecord = defineResource('TimelineRecord', timelineRecordSchema);

/** Trading day and calculation time are required, because they identify a calculation. */
function checkPrudential({ participantCode, calculation }: PrudentialRecord): RuleViolation[] {
  const missing = (['tradingDay', 'calculatedAt'] as const)
    .filter((field) => calculation[field] === undefined)
    .map((field) => ({ path: ['calculation', field], message: 'expected a value' }));
  if ((calculation.participantCode ?? participantCode) === participantCode) return missing;
  const message = `expected ${participantCode} or nothing`;
  return [...missing, { path: ['calculation', 'participantCode'], message }];
}

/** The trading day is required, because it identifies the figures. */
function checkOutput({ output }: OutputRecord): RuleViolation[] {
  if (output.tradingDay !== undefined) return [];
  return [{ path: ['output', 'tradingDay'], message: 'expected a value' }];
}

function checkStatement({ statement }: StatementRecord): RuleViolation[] {
  return checkCode(statement.participantCode, ['statement', 'participantCode']);
}

function checkDetails({ details }: OutputDetailsRecord): RuleViolation[] {
  return checkCode(details.participantCode, ['details', 'participantCode']);
}

/** The code identifies a record. */
function checkCode(code: string, path: string[]): RuleViolation[] {
  return PRINTABLE.test(code) ? [] : [{ path, message: NOT_PRINTABLE }];
}

/** Operation 7 is for NSTEM only. */
function checkEstimation(record: OutputDetailsRecord): RuleViolation[] {
  const violations = checkDetails(record);
  if (record.details.marketService === 'NSTEM') return violations;
  return [
    ...violations,
    {
      path: ['details', 'marketService'],
      message: 'expected NSTEM, the only market service with estimations',
    },
  ];
}

function checkInvoice({ marketService, designation, invoice }: InvoiceRecord): RuleViolation[] {
  const violations = [
    ...checkCode(invoice.id, ['invoice', 'id']),
    ...checkDesignation({ marketService, designation }),
  ];
  if (invoice.market !== marketService)
    violations.push({
      path: ['invoice', 'market'],
      message: `expected ${marketService}, as in marketService`,
    });
  return [...violations, ...checkAdjustment(designation, invoice.adjustment)];
}

/** Document 000: "0 = initial version, 1 to 3 = adjustment version". It does not assign the numbers to designations. */
function checkAdjustment(designation: Designation, adjustment: number | null | undefined): RuleViolation[] {
  if (adjustment === undefined || adjustment === null) return [];
  if ((adjustment === 0) === (designation === 'INITIAL')) return [];
  const expected = designation === 'INITIAL' ? '0' : '1 to 3';
  return [{ path: ['invoice', 'adjustment'], message: `expected ${expected} for ${designation}` }];
}

/** The response: 201 with `loaded: true`, or 200 with `loaded: false` for a record that exists already. */
export const LoadResult = defineResource('LoadResult', (builder) => builder.object({ loaded: z.boolean() }));
export type LoadResult = z.output<typeof LoadResult.strict>;
