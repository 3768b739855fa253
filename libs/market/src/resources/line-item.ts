import { z } from 'zod';
import { decimal, text } from '../fields.js';
import type { Form } from '../form.js';

/** A billing line (document 000, LineItem). */
export const lineItemSchema = (form: Form) =>
  form.object({
    code: text(40).nullish(),
    description: text(255).nullish(),
    amount: decimal({ precision: 18, scale: 2 }),
    gstApplicable: z.boolean().nullish(),
  });

export type LineItem = z.output<ReturnType<typeof lineItemSchema>>;
