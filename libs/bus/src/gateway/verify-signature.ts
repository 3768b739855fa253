import { z } from 'zod';

/** Document 002, "VerifySignature": all optional strings. */
export const verifySignature = z.object({
  signature: z.string().optional().describe('Signature of the payload, 0x hexadecimal, 65 bytes.'),
  did: z.string().optional().describe('DID whose public key is expected.'),
  payload: z.string().optional().describe('Text that was signed.'),
});
export type VerifySignature = z.infer<typeof verifySignature>;

/** Document 002, "VerifySignatureSuccess". */
export const verifySignatureSuccess = z.object({ ok: z.boolean().describe('The signature is of the DID.') });
export type VerifySignatureSuccess = z.infer<typeof verifySignatureSuccess>;
