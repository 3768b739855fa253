import { z } from 'zod';
import { decimal } from '../fields.js';
import type { Form } from '../form.js';
import { defineResource } from '../resource.js';

/** The document names no required field here either (document 000, PrudentialCalculationSummary). */
export const prudentialCalculationSummarySchema = (form: Form) =>
  form.object({
    participantCode: z.string().nullish(),
    tradingDay: form.openDateTime().optional(),
    outstandingAmount: decimal().optional(),
    tradingMargin: decimal().optional(),
    calculatedAt: form.openDateTime().optional(),
  });

export const PrudentialCalculationSummary = defineResource(
  'PrudentialCalculationSummary',
  prudentialCalculationSummarySchema,
);
export type PrudentialCalculationSummary = z.output<ReturnType<typeof prudentialCalculationSummarySchema>>;
