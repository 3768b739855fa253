import type { z } from 'zod';
import { decimal } from '../fields.js';
import type { Form } from '../form.js';

const AMOUNT = { precision: 28, scale: 2 };

const adjustmentLineSchema = (form: Form) =>
  form.object({ previous: decimal(AMOUNT), current: decimal(AMOUNT), adjustment: decimal(AMOUNT) });

const adjustmentGstApplicableSchema = (form: Form) =>
  form.object({
    gstExclusive: adjustmentLineSchema(form).optional(),
    gst: adjustmentLineSchema(form).optional(),
    gstInclusive: adjustmentLineSchema(form).optional(),
  });

const taxInvoiceAdjustmentSchema = (form: Form) =>
  form.object({
    gstApplicable: adjustmentGstApplicableSchema(form).optional(),
    gstFree: adjustmentLineSchema(form).optional(),
  });

/** What an adjustment changed against the invoice before (document 000, AdjustmentSummary). */
export const adjustmentSummarySchema = (form: Form) =>
  form.object({
    recipientCreatedTaxInvoiceAdjustment: taxInvoiceAdjustmentSchema(form).optional(),
    taxInvoiceAdjustment: taxInvoiceAdjustmentSchema(form).optional(),
  });

export type AdjustmentLine = z.output<ReturnType<typeof adjustmentLineSchema>>;
export type AdjustmentGstApplicable = z.output<ReturnType<typeof adjustmentGstApplicableSchema>>;
export type TaxInvoiceAdjustment = z.output<ReturnType<typeof taxInvoiceAdjustmentSchema>>;
export type AdjustmentSummary = z.output<ReturnType<typeof adjustmentSummarySchema>>;
