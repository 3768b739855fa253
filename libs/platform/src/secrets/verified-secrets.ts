import { hash, randomBytes } from 'node:crypto';

/** How many clients are remembered; the one seen longest ago goes first. */
const CAPACITY = 1_000;

/**
 * Remembers which secret was right for a stored hash, so that a client that comes for its next token does not cost a
 * memory-hard hash each time. Only right secrets are remembered: a guess always costs the full price. The memory is keyed by
 * a random key of this process, and by the stored hash: with a new secret, or in another process, it knows nothing.
 */
export class VerifiedSecrets {
  private readonly key = randomBytes(32).toString('base64');
  private readonly known = new Map<string, true>();

  constructor(private readonly capacity = CAPACITY) {}

  /** Whether this secret was right for this stored hash before. */
  has(secret: string, storedHash: string): boolean {
    const name = this.nameOf(secret, storedHash);
    if (!this.known.delete(name)) return false;
    this.known.set(name, true);
    return true;
  }

  remember(secret: string, storedHash: string): void {
    const name = this.nameOf(secret, storedHash);
    this.known.delete(name);
    this.known.set(name, true);
    const [oldest] = this.known.keys();
    if (this.known.size > this.capacity && oldest !== undefined) this.known.delete(oldest);
  }

  get size(): number {
    return this.known.size;
  }

  private nameOf(secret: string, storedHash: string): string {
    // In one call, as every request of a client comes by here. Nobody sees these digests, so a key before the text does for a MAC.
    return hash('sha256', `${this.key}${storedHash}\n${secret}`, 'base64');
  }
}
