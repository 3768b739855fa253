import { z } from 'zod';
import { decimal } from '../../schema/fields.js';
import { defineResource } from '../../schema/resource.js';
import type { SchemaBuilder } from '../../schema/schema-builder.js';

/** Document 000, PrudentialCalculation. No field is required, and amounts have no limit of digits. */
export const prudentialCalculationSchema = (builder: SchemaBuilder) =>
  builder.object({
    participantCode: z.string().nullish(),
    tradingDay: builder.openDateTime().optional(),
    prepayment: decimal().optional(),
    invoiceNotPaid: decimal().optional(),
    cumulativeEstimatedExposure: decimal().optional(),
    outstandingAmount: decimal().optional(),
    creditSupport: decimal().optional(),
    creditLimit: decimal().optional(),
    tradingLimit: decimal().optional(),
    tradingMargin: decimal().optional(),
    calculatedAt: builder.openDateTime().optional(),
    isForecast: z.boolean().optional(),
  });

export const PrudentialCalculation = defineResource('PrudentialCalculation', prudentialCalculationSchema);
export type PrudentialCalculation = z.output<ReturnType<typeof prudentialCalculationSchema>>;

/** Document 000, PrudentialCalculationSummary. No field is required. */
export const prudentialCalculationSummarySchema = (builder: SchemaBuilder) =>
  builder.object({
    participantCode: z.string().nullish(),
    tradingDay: builder.openDateTime().optional(),
    outstandingAmount: decimal().optional(),
    tradingMargin: decimal().optional(),
    calculatedAt: builder.openDateTime().optional(),
  });

export const PrudentialCalculationSummary = defineResource(
  'PrudentialCalculationSummary',
  prudentialCalculationSummarySchema,
);
export type PrudentialCalculationSummary = z.output<ReturnType<typeof prudentialCalculationSummarySchema>>;
