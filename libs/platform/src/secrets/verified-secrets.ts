import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** How many clients are remembered; the one seen longest ago is evicted. */
const MAX_CLIENTS = 1_000;

/**
 * Remembers which secret was right for a stored hash, so that a client that comes for its next token does not cost a
 * memory-hard hash each time. Only right secrets are remembered: a guess always costs the full price. The memory is keyed by
 * a random key of this process, and by the stored hash: with a new secret, or in another process, it knows nothing.
 */
export class VerifiedSecrets {
  private readonly key = randomBytes(32).toString('base64');
  private readonly known: LRUCache<string, true>;

  constructor(capacity = MAX_CLIENTS) {
    this.known = new LRUCache({ max: capacity });
  }

  /** Whether this secret was right for this stored hash before. */
  has(secret: string, storedHash: string): boolean {
    return this.known.get(this.nameOf(secret, storedHash)) === true;
  }

  remember(secret: string, storedHash: string): void {
    this.known.set(this.nameOf(secret, storedHash), true);
  }

  get size(): number {
    return this.known.size;
  }

  private nameOf(secret: string, storedHash: string): string {
    // In one call, as every request of a client comes by here. Nobody sees these digests, so a key before the text does for a MAC.
    return hash('sha256', `${this.key}${storedHash}\n${secret}`, 'base64');
  }
}
