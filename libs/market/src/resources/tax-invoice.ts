import { z } from 'zod';
import { decimal } from '../fields.js';
import type { Form } from '../form.js';
import { lineItemSchema } from './line-item.js';

const AMOUNT = { precision: 28, scale: 2 };

const invoiceTotalSchema = (form: Form) =>
  form.object({ gstExclusive: decimal(AMOUNT), gst: decimal(AMOUNT), gstInclusive: decimal(AMOUNT) });

/** A tax invoice, the recipient's own or the operator's (document 000, TaxInvoice). */
export const taxInvoiceSchema = (form: Form) =>
  form.object({
    id: z.string(),
    gstApplicable: z.array(lineItemSchema(form)).nullish(),
    gstFree: z.array(lineItemSchema(form)).nullish(),
    total: invoiceTotalSchema(form).optional(),
  });

export type InvoiceTotal = z.output<ReturnType<typeof invoiceTotalSchema>>;
export type TaxInvoice = z.output<ReturnType<typeof taxInvoiceSchema>>;
