import { z } from 'zod';
import { decimal } from '../fields.js';
import type { Form } from '../form.js';
import { defineResource } from '../resource.js';

/** None of the fields is required (document 000, PrudentialCalculation); money has no stated limit of digits. */
export const prudentialCalculationSchema = (form: Form) =>
  form.object({
    participantCode: z.string().nullish(),
    tradingDay: form.openDateTime().optional(),
    prepayment: decimal().optional(),
    invoiceNotPaid: decimal().optional(),
    cumulativeEstimatedExposure: decimal().optional(),
    outstandingAmount: decimal().optional(),
    creditSupport: decimal().optional(),
    creditLimit: decimal().optional(),
    tradingLimit: decimal().optional(),
    tradingMargin: decimal().optional(),
    calculatedAt: form.openDateTime().optional(),
    isForecast: z.boolean().optional(),
  });

export const PrudentialCalculation = defineResource('PrudentialCalculation', prudentialCalculationSchema);
export type PrudentialCalculation = z.output<ReturnType<typeof prudentialCalculationSchema>>;
