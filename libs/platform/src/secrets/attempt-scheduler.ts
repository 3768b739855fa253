import { setTimeout as delay } from 'node:timers/promises';
import { TimeoutError, withTimeout } from '@ssb/net';
import { LRUCache } from 'lru-cache';
import { toNetwork } from '../network/client-address.js';
import { AttemptQueue, type QueuedAttempt } from './attempt-queue.js';
import type { LoginLimits } from './login-limits.js';
import { getRelativeCost, type SecretHash } from './secret-hash.js';
import { TokenBuckets } from './token-buckets.js';

export interface LoginAttempt {
  /** Name of the user, who need not exist. */
  readonly name: string;
  /** IP address of the client. */
  readonly address: string;
  readonly secret: string;
  /** The hashes of the user's valid secrets; none for an unknown user. */
  readonly hashes: readonly SecretHash[];
}

/** `busy`: not checked, because too many other attempts for the same user wait. */
export type LoginVerdict = 'right' | 'wrong' | 'busy';

/** Checks an attempt that has its slot. */
export interface AttemptChecker {
  check(attempt: LoginAttempt): Promise<LoginVerdict>;
  /** The hashes that the check may have to compute. */
  getUncheckedHashes(attempt: LoginAttempt): readonly SecretHash[];
}

interface Evaluation {
  readonly attempt: LoginAttempt;
  readonly verdict: Promise<LoginVerdict>;
  readonly complete: (verdict: LoginVerdict | Promise<LoginVerdict>) => void;
}

/** Tokens. A hash of a high cost takes more than a bucket holds. */
const MAX_DEBT = 64;

const MAX_REMEMBERED_ATTEMPTS = 10_000;

/** Gives attempts their slots: one at a time and a limited number in a time for each user. Users do not wait for each other. */
export class AttemptScheduler {
  private readonly queues = new Map<string, AttemptQueue<Evaluation>>();
  /** Attempts that wait or are being checked, by id. */
  private readonly pending = new Map<string, QueuedAttempt<Evaluation>>();
  private readonly presentations = new LRUCache<string, number>({ max: MAX_REMEMBERED_ATTEMPTS });
  private readonly slots: TokenBuckets;
  private pendingUnknown = 0;

  constructor(
    private readonly limits: LoginLimits,
    private readonly checker: AttemptChecker,
    /** Once aborted, every attempt is `busy`. */
    private readonly closed: AbortSignal,
  ) {
    const { slotBurst, slotIntervalMs } = limits;
    this.slots = new TokenBuckets({ capacity: slotBurst, refillMs: slotIntervalMs, maxDebt: MAX_DEBT });
  }

  /**
   * Waits for a slot and checks the attempt. An attempt that waits for too long is still checked later, for its repetition.
   * @param id the same for each attempt with the same secret; these have one slot together
   */
  async run(id: string, attempt: LoginAttempt): Promise<LoginVerdict> {
    const presentations = (this.presentations.get(id) ?? 0) + 1;
    this.presentations.set(id, presentations);
    const { verdict } = this.findPending(id, presentations) ?? this.enqueue(id, attempt, presentations);
    try {
      return await withTimeout(verdict, this.limits.maxWaitMs);
    } catch (error) {
      if (error instanceof TimeoutError) return 'busy';
      throw error;
    }
  }

  private findPending(id: string, presentations: number): Evaluation | undefined {
    const pending = this.pending.get(id);
    if (pending !== undefined) pending.presentations = presentations;
    return pending?.value;
  }

  private enqueue(id: string, attempt: LoginAttempt, presentations: number): Evaluation {
    const evaluation = createEvaluation(attempt);
    const isUnknown = attempt.hashes.length === 0;
    if (isUnknown && this.pendingUnknown >= this.limits.maxWaitingUnknown) {
      evaluation.complete('busy');
      return evaluation;
    }
    const queued = { network: toNetwork(attempt.address), presentations, value: evaluation };
    this.pending.set(id, queued);
    if (isUnknown) this.pendingUnknown += 1;
    const release = (): void => {
      this.pending.delete(id);
      if (isUnknown) this.pendingUnknown -= 1;
    };
    evaluation.verdict.then(release, release);
    this.addToQueue(attempt.name, queued);
    return evaluation;
  }

  private addToQueue(name: string, queued: QueuedAttempt<Evaluation>): void {
    const { maxWaitingPerNetwork: perNetwork, maxWaitingPerUser: total } = this.limits;
    const running = this.queues.get(name);
    const queue = running ?? new AttemptQueue({ perNetwork, total });
    queue.add(queued)?.value.complete('busy');
    if (running !== undefined) return;
    this.queues.set(name, queue);
    void this.serve(name, queue);
  }

  /** Gives the slots of one user, one after the other, until no attempt waits. */
  private async serve(name: string, queue: AttemptQueue<Evaluation>): Promise<void> {
    while (queue.length > 0) {
      await this.waitForSlot(name);
      const evaluation = queue.take()?.value;
      if (evaluation === undefined) break;
      evaluation.complete(this.closed.aborted ? 'busy' : this.check(evaluation.attempt));
      await evaluation.verdict.catch(() => undefined);
    }
    this.queues.delete(name);
  }

  private async waitForSlot(name: string): Promise<void> {
    for (;;) {
      const ms = this.slots.waitFor(name, performance.now());
      if (ms === 0 || this.closed.aborted) return;
      await pause(ms, this.closed);
    }
  }

  private check(attempt: LoginAttempt): Promise<LoginVerdict> {
    const costs = this.checker.getUncheckedHashes(attempt).map(getRelativeCost);
    const tokens = costs.reduce((sum, cost) => sum + cost, 0);
    this.slots.take(attempt.name, performance.now(), Math.max(1, tokens));
    return this.checker.check(attempt);
  }
}

/** Ends early when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal }).catch(() => undefined);
}

function createEvaluation(attempt: LoginAttempt): Evaluation {
  let complete: Evaluation['complete'] = () => undefined;
  const verdict = new Promise<LoginVerdict>((resolve) => (complete = resolve));
  return { attempt, verdict, complete };
}
