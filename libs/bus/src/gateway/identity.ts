import { z } from 'zod';

/** Document 002, "IdentityConfig": the request that sets the gateway's private key. */
export const identityConfig = z.object({ privateKey: z.string() });
export type IdentityConfig = z.infer<typeof identityConfig>;

export const BALANCES = ['NONE', 'LOW', 'OK'] as const;
export type Balance = (typeof BALANCES)[number];

/** Document 002, "Identity": the public side of the configured key. */
export const identity = z.object({
  /** EIP-55 address. */
  address: z.string(),
  /** Uncompressed public key, `0x04…` hexadecimal. */
  publicKey: z.string(),
  balance: z.enum(BALANCES),
});
export type Identity = z.infer<typeof identity>;
