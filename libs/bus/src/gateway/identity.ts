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
  publicKey: z.string().describe('Uncompressed public key, 0x04… hexadecimal.'),
  balance: z.enum(BALANCES),
});
export type Identity = z.infer<typeof identity>;
