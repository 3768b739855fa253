import { z } from 'zod';

/** Document 002, "VerifySignature": all optional strings. */
export const verifySignature = z.object({
  signature: z.string().optional(),
  did: z.string().optional(),
  payload: z.string().optional(),
});
export type VerifySignature = z.infer<typeof verifySignature>;

/** Document 002, "VerifySignatureSuccess". */
export const verifySignatureSuccess = z.object({ ok: z.boolean() });
export type VerifySignatureSuccess = z.infer<typeof verifySignatureSuccess>;
