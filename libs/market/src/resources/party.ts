import type { z } from 'zod';
import { text } from '../fields.js';
import type { Form } from '../form.js';

/** Who an invoice is for (document 000, Party). */
export const partySchema = (form: Form) =>
  form.object({
    id: text(50),
    name: text(50),
    addressLine1: text(60).nullish(),
    addressLine2: text(40).nullish(),
    abn: text(20).nullish(),
  });

export type Party = z.output<ReturnType<typeof partySchema>>;
