import type { z } from 'zod';
import { dateTimeWithMilliseconds, decimal } from '../fields.js';
import type { Form } from '../form.js';

/** Leftover plus new prepayment, and since when (document 000, PrepaymentBalance). */
export const prepaymentBalanceSchema = (form: Form) =>
  form.object({ balance: decimal({ precision: 18, scale: 2 }), asAt: dateTimeWithMilliseconds() });

export type PrepaymentBalance = z.output<ReturnType<typeof prepaymentBalanceSchema>>;
