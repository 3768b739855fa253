import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** Memory-hard (RFC 7914), for a secret that a person may have chosen. Bytes are base64. */
const scryptHashSchema = z.strictObject({
  algorithm: z.literal('scrypt'),
  cost: z.number().int().min(1024).max(1_048_576),
  blockSize: z.number().int().min(1).max(32),
  parallelization: z.number().int().min(1).max(16),
  salt: z.base64().min(16),
  hash: z.base64().min(24),
});
type ScryptHash = z.output<typeof scryptHashSchema>;

/** Fast, for generated secrets of 256 bits only. A slow hash protects secrets that can be guessed. */
export const generatedSecretHashSchema = z.strictObject({
  algorithm: z.literal('sha256'),
  salt: z.base64().min(16),
  hash: z.base64().length(44),
});
type Sha256Hash = z.output<typeof generatedSecretHashSchema>;

/** A stored secret, with a salt of its own. */
export const secretHashSchema = z.discriminatedUnion('algorithm', [
  scryptHashSchema,
  generatedSecretHashSchema,
]);
export type SecretHash = z.output<typeof secretHashSchema>;

const COST = { cost: 16_384, blockSize: 8, parallelization: 1 };
const HASH_BYTES = 32;

/** Hashes a secret with a new salt and the current cost. */
export async function hashSecret(secret: string): Promise<SecretHash> {
  const salt = randomBytes(16);
  const derived = await derive(secret, salt, HASH_BYTES, COST);
  return { algorithm: 'scrypt', ...COST, salt: salt.toString('base64'), hash: derived.toString('base64') };
}

/** Hashes a secret that has 256 random bits with a new salt. Not for a secret that can be guessed. */
export function hashGeneratedSecret(secret: string): Sha256Hash {
  const salt = randomBytes(16);
  const digest = digestWith(salt, secret);
  return { algorithm: 'sha256', salt: salt.toString('base64'), hash: digest.toString('base64') };
}

/** Whether this is the stored secret. Compares in constant time. */
export function matchesSha256(candidate: string, { salt, hash }: Sha256Hash): boolean {
  return timingSafeEqual(digestWith(Buffer.from(salt, 'base64'), candidate), Buffer.from(hash, 'base64'));
}

function digestWith(salt: Buffer, secret: string): Buffer {
  return createHash('sha256').update(salt).update(secret).digest();
}

/** Whether this is the stored secret. Compares in constant time. */
export async function verifySecret(candidate: string, stored: SecretHash): Promise<boolean> {
  if (stored.algorithm === 'sha256') return matchesSha256(candidate, stored);
  const expected = Buffer.from(stored.hash, 'base64');
  const actual = await derive(candidate, Buffer.from(stored.salt, 'base64'), expected.length, stored);
  return timingSafeEqual(actual, expected);
}

/** A new secret of 256 bits, in characters that need no escaping in a URL or a shell. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Processor time of a check of this hash, as a multiple of a scrypt hash with the current cost. */
export function getRelativeCost(stored: SecretHash): number {
  if (stored.algorithm === 'sha256') return 0;
  const { cost, blockSize, parallelization } = stored;
  return (cost * blockSize * parallelization) / (COST.cost * COST.blockSize * COST.parallelization);
}

type Cost = Pick<ScryptHash, 'cost' | 'blockSize' | 'parallelization'>;

function derive(
  secret: string,
  salt: Buffer,
  length: number,
  { cost, blockSize, parallelization }: Cost,
): Promise<Buffer> {
  // scrypt needs 128 · N · r bytes; Node refuses more than `maxmem`.
  const maxmem = 256 * cost * blockSize;
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, length, { cost, blockSize, parallelization, maxmem }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
