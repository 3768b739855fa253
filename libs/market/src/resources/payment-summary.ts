import { z } from 'zod';
import { decimal } from '../fields.js';
import type { Form } from '../form.js';
import { lineItemSchema } from './line-item.js';
import { prepaymentBalanceSchema } from './prepayment-balance.js';

/** What is to be settled (document 000, PaymentSummary). That the lines add up is not the wire's rule. */
export const paymentSummarySchema = (form: Form) =>
  form.object({
    lineItems: z.array(lineItemSchema(form)).nullish(),
    total: decimal({ precision: 18, scale: 2 }),
    prepaymentBalance: prepaymentBalanceSchema(form).optional(),
    payableAmount: decimal({ precision: 18, scale: 2 }),
    messages: z.array(z.string()).nullish(),
    settlementRequired: form.flag(),
  });

export type PaymentSummary = z.output<ReturnType<typeof paymentSummarySchema>>;
