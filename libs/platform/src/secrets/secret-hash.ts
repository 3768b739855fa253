import { hash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** A stored secret: scrypt (RFC 7914) with its own salt and cost. Bytes are base64. */
export const secretHashSchema = z.strictObject({
  algorithm: z.literal('scrypt'),
  cost: z.number().int().min(1024).max(1_048_576),
  blockSize: z.number().int().min(1).max(32),
  parallelization: z.number().int().min(1).max(16),
  salt: z.base64().min(16),
  hash: z.base64().min(24),
});
export type SecretHash = z.output<typeof secretHashSchema>;

const COST = { cost: 16_384, blockSize: 8, parallelization: 1 };
const HASH_BYTES = 32;
const MAX_CACHE_ENTRIES = 1_000;

/** Hashes a secret with a new salt and the current cost. */
export async function hashSecret(secret: string): Promise<SecretHash> {
  const salt = randomBytes(16);
  const derived = await derive(secret, salt, HASH_BYTES, COST);
  return { algorithm: 'scrypt', ...COST, salt: salt.toString('base64'), hash: derived.toString('base64') };
}

/** Whether this is the stored secret. Compares in constant time. */
export async function verifySecret(candidate: string, stored: SecretHash): Promise<boolean> {
  const expected = Buffer.from(stored.hash, 'base64');
  const actual = await derive(candidate, Buffer.from(stored.salt, 'base64'), expected.length, stored);
  return timingSafeEqual(actual, expected);
}

/** A new secret of 256 bits, in characters that need no escaping in a URL or a shell. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

type Cost = Pick<SecretHash, 'cost' | 'blockSize' | 'parallelization'>;

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

/** Caches which secrets matched their stored hash, so that a known client does not cost a slow hash each time. */
export class VerifiedSecretCache {
  private readonly key = randomBytes(32).toString('base64');
  private readonly digests: LRUCache<string, true>;

  constructor(capacity = MAX_CACHE_ENTRIES) {
    this.digests = new LRUCache({ max: capacity });
  }

  /** Whether this secret has matched this stored hash before. */
  has(secret: string, storedHash: string): boolean {
    return this.digests.get(this.digest(secret, storedHash)) === true;
  }

  add(secret: string, storedHash: string): void {
    this.digests.set(this.digest(secret, storedHash), true);
  }

  get size(): number {
    return this.digests.size;
  }

  private digest(secret: string, storedHash: string): string {
    // No digest leaves this class, so a key before the text is as good as an HMAC. One call is faster.
    return hash('sha256', `${this.key}${storedHash}\n${secret}`, 'base64');
  }
}
