import { z } from 'zod';

/** Document 002, "IdentityConfig": the request that sets the gateway's private key. */
export const identityConfig = z.object({
  privateKey: z.string().describe('secp256k1 private key: 64 hexadecimal digits, with or without 0x.'),
});
export type IdentityConfig = z.infer<typeof identityConfig>;

export const BALANCES = ['NONE', 'LOW', 'OK'] as const;
export type Balance = (typeof BALANCES)[number];

/** Document 002, "Identity": the public side of the configured key. */
export const identity = z.object({
  address: z.string().describe('Address of the key, with the upper and lower case of EIP-55.'),
  publicKey: z.string().describe('Uncompressed public key, 0x04 and 128 hexadecimal digits.'),
  balance: z.enum(BALANCES),
});
export type Identity = z.infer<typeof identity>;

/** Document 002, "RoleState". */
export const ROLE_STATES = ['NO_CLAIM', 'AWAITING_APPROVAL', 'APPROVED', 'NOT_WANTED'] as const;
export const roleState = z.enum(ROLE_STATES);
export type RoleState = z.infer<typeof roleState>;

/** Document 002, "Enrolment". */
export const enrolment = z.object({
  did: z.string().describe('did:<method>:<address>, made of the configured private key.'),
  state: z.object({
    ready: z.boolean().describe('Every wanted role is approved.'),
    waiting: z.boolean().describe('A wanted role awaits its issuer.'),
    roles: z.object({ user: roleState, messagebroker: roleState }),
  }),
});
export type Enrolment = z.infer<typeof enrolment>;

/** An enrolment of any gateway. Version 0.6 sends `approved` in place of `ready`, and no messagebroker role. */
export const receivedEnrolment = z
  .object({
    did: z.string(),
    state: z.object({
      ready: z.boolean().optional(),
      approved: z.boolean().optional(),
      waiting: z.boolean().optional(),
      roles: z.object({ user: roleState, messagebroker: roleState.optional() }),
    }),
  })
  .transform(({ did, state: { ready, approved, waiting, roles } }): Enrolment => {
    const { user, messagebroker = 'NOT_WANTED' } = roles;
    return {
      did,
      state: {
        ready: ready ?? approved ?? user === 'APPROVED',
        waiting: waiting ?? user === 'AWAITING_APPROVAL',
        roles: { user, messagebroker },
      },
    };
  });

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
