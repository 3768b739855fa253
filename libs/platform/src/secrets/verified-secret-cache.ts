import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const MAX_ENTRIES = 1_000;

/**
 * Caches which secret matched a stored hash, so that a known client does not cost a slow hash each time. Wrong secrets are not cached. A
 * random key of this process and the stored hash are part of each entry.
 */
export class VerifiedSecretCache {
  private readonly key = randomBytes(32).toString('base64');
  private readonly digests: LRUCache<string, true>;

  constructor(capacity = MAX_ENTRIES) {
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
