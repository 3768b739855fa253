import { setMaxListeners } from 'node:events';
import { Semaphore } from 'async-mutex';
import { LRUCache } from 'lru-cache';
import { toNetwork } from '../network/client-address.js';
import { AttemptScheduler, pause, type LoginAttempt, type LoginVerdict } from './attempt-scheduler.js';
import { KnownSecrets } from './known-secrets.js';
import { LOGIN_LIMITS, type LoginLimits } from './login-limits.js';
import { type SecretHash, verifySecret } from './secret-hash.js';
import { TokenBuckets } from './token-buckets.js';

export interface LoginObserver {
  /** A memory-hard hash is computed. */
  readonly onHash?: () => void;
  /** A secret was checked and is wrong. Not called again for its repetition. */
  readonly onWrong?: (address: string) => void;
}

/** When a client may repeat an attempt with the verdict `busy`. */
export const RETRY_AFTER_MS = 1_000;

const MAX_CONCURRENT_HASHES = 2;
const MAX_CACHE_ENTRIES = 10_000;

/** Failures beyond the free ones that count. After an attack, a network has a free failure again in a quarter of an hour. */
const MAX_FAILURE_DEBT = 15;

/**
 * Verifies secrets at bounded cost. A secret with a fast hash, or that was right before, is accepted at once. Others wait for a slot of
 * their user, and only the responses to failures are delayed.
 */
export class SecretVerifier {
  private readonly known = new KnownSecrets();
  /** Ids of attempts with a wrong secret. */
  private readonly wrong = new LRUCache<string, true>({ max: MAX_CACHE_ENTRIES });
  /** By network and digest of the user. */
  private readonly failures: TokenBuckets;
  private readonly scheduler: AttemptScheduler;
  private readonly hashSlots = new Semaphore(MAX_CONCURRENT_HASHES);
  private readonly closed = new AbortController();
  private delayedFailures = 0;

  constructor(
    private readonly observer: LoginObserver = {},
    private readonly limits: LoginLimits = LOGIN_LIMITS,
  ) {
    const { freeFailures: capacity, forgetFailureMs: refillMs } = limits;
    this.failures = new TokenBuckets({ capacity, refillMs, maxDebt: MAX_FAILURE_DEBT });
    setMaxListeners(0, this.closed.signal);
    const checker = {
      check: (attempt: LoginAttempt) => this.check(attempt),
      getUncheckedHashes: (attempt: LoginAttempt) => this.getUncheckedHashes(attempt),
    };
    this.scheduler = new AttemptScheduler(limits, checker, this.closed.signal);
  }

  /** Synchronous for a secret that is known. Rejects only when a hash cannot be computed. */
  verify(attempt: LoginAttempt): LoginVerdict | Promise<LoginVerdict> {
    return this.isKnown(attempt.secret, attempt.hashes) ? 'right' : this.verifySlowly(attempt);
  }

  /** Whether this secret is recognised without a memory-hard hash: by a fast hash, or because it was right before. */
  isKnown(secret: string, hashes: readonly SecretHash[]): boolean {
    return this.known.matches(secret, hashes);
  }

  /** Ends every wait. Attempts without a verdict are `busy`. */
  close(): void {
    this.closed.abort();
  }

  private async verifySlowly(given: LoginAttempt): Promise<LoginVerdict> {
    const startedAt = performance.now();
    const attempt = { ...given, name: this.known.digestName(given.name) };
    const id = this.known.identify(attempt.name, attempt.secret, attempt.hashes);
    const verdict = this.wrong.get(id) ? 'wrong' : await this.scheduler.run(id, attempt);
    if (verdict === 'right') return verdict;
    const { minFailureMs, slowFailureMs } = this.limits;
    const durationMs = this.hasFreeFailure(attempt) ? minFailureMs : slowFailureMs;
    this.failures.take(toFailureKey(attempt), performance.now());
    await this.delayFailure(startedAt + durationMs - performance.now());
    return verdict;
  }

  private hasFreeFailure(attempt: LoginAttempt): boolean {
    return this.failures.waitFor(toFailureKey(attempt), performance.now()) === 0;
  }

  private async delayFailure(ms: number): Promise<void> {
    if (this.delayedFailures >= this.limits.maxDelayedFailures) return;
    this.delayedFailures += 1;
    await pause(ms, this.closed.signal);
    this.delayedFailures -= 1;
  }

  private async check(attempt: LoginAttempt): Promise<LoginVerdict> {
    const { name, secret, hashes } = attempt;
    if (this.isKnown(secret, hashes)) return 'right';
    for (const stored of this.getUncheckedHashes(attempt)) {
      this.observer.onHash?.();
      if (!(await this.hashSlots.runExclusive(() => verifySecret(secret, stored)))) continue;
      this.known.add(secret, stored);
      return 'right';
    }
    this.wrong.set(this.known.identify(name, secret, hashes), true);
    this.observer.onWrong?.(attempt.address);
    return 'wrong';
  }

  /** A hash whose secret is known excludes every other secret, so only the others are computed. */
  private getUncheckedHashes({ hashes }: LoginAttempt): readonly SecretHash[] {
    return hashes.filter((stored) => !this.known.isKnown(stored));
  }
}

function toFailureKey({ address, name }: LoginAttempt): string {
  return `${toNetwork(address)} ${name}`;
}
