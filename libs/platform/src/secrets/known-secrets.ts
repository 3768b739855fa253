import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { matchesSha256, type SecretHash } from './secret-hash.js';

const MAX_ENTRIES = 10_000;

/** Recognises a secret without running scrypt: by its SHA-256 hash, or by a keyed digest kept after its scrypt hash matched. */
export class KnownSecrets {
  private readonly key = randomBytes(32).toString('base64');
  /** Keyed by stored hash. */
  private readonly digests = new LRUCache<string, string>({ max: MAX_ENTRIES });

  add(secret: string, stored: SecretHash): void {
    this.digests.set(stored.hash, this.digest(stored.hash, secret));
  }

  /** Whether this secret matches a SHA-256 hash, or has matched one of the scrypt hashes before. */
  matches(secret: string, hashes: readonly SecretHash[]): boolean {
    return hashes.some((stored) => {
      if (stored.algorithm === 'sha256') return matchesSha256(secret, stored);
      const known = this.digests.get(stored.hash);
      return known !== undefined && known === this.digest(stored.hash, secret);
    });
  }

  /** Whether `matches` recognises the secret of this hash. Then any other secret is wrong. */
  isKnown(stored: SecretHash): boolean {
    return stored.algorithm === 'sha256' || this.digests.has(stored.hash);
  }

  /** A fixed-length key for a user name of any length. */
  digestName(name: string): string {
    return this.digest('name', name);
  }

  /** Identifies an attempt: the same for the same secret while the hashes of the user are the same. */
  identify(name: string, secret: string, hashes: readonly SecretHash[]): string {
    return this.digest(JSON.stringify([name, ...hashes.map((stored) => stored.hash)]), secret);
  }

  private digest(context: string, secret: string): string {
    // Digests never leave the process, so prefixing the key is as safe as an HMAC, and faster.
    return hash('sha256', `${this.key}${context}\n${secret}`, 'base64');
  }
}
