import { randomUUID } from 'node:crypto';
import { alertSubject, type AlertTopic } from '@ssb/events';
import type { Logger } from '@ssb/platform';
import { backoffDelayMs, TimeoutError, withTimeout, type Backoff } from '@ssb/net';
import type { FaultCarrier } from './fault-carrier.js';
import { InterruptibleDelay } from './interruptible-delay.js';

type Change =
  | { readonly kind: 'raise'; readonly id: string; count: number; detail: string }
  | { readonly kind: 'clear' | 'withdraw' };

/** The changes of one fault that the carrier has not accepted, in order. */
interface PendingFault {
  readonly topic: AlertTopic;
  readonly changes: Change[];
  /** Was passed to the carrier, so it may be stored already and stays as it is. */
  attempted?: Change;
}

/** Faults with pending changes. Of more, the oldest are dropped, those that have only ended first. */
const MAX_PENDING_FAULTS = 10_000;
const STOP_TIMEOUT_MS = 3_000;
const BACKOFF: Backoff = { baseMs: 500, maxMs: 30_000 };

/** Passes the changes of faults to a carrier in the background, each until the carrier accepts it. */
export class PendingChanges {
  private readonly faults = new Map<string, PendingFault>();
  /** Faults with occurrences that arrived during a round. */
  private readonly raised = new Set<string>();
  private running: Promise<void> | undefined;
  private readonly delay = new InterruptibleDelay();
  private stopped = false;
  private checkDue = false;
  private dropped = 0;

  constructor(
    private readonly carrier: FaultCarrier,
    private readonly log: Logger,
    private readonly now: () => Date = () => new Date(),
    private readonly droppedAlerts?: { inc(): void },
  ) {}

  /** @param count 0 when the fault still lasts */
  raise(topic: AlertTopic, detail: string, count = 1): void {
    if (count > 0) this.raised.add(alertSubject(topic));
    const { changes, attempted } = this.entryOf(topic);
    const isOpen = (change: Change | undefined) => change !== undefined && change !== attempted;
    // A fault that ended and began again before either was stored has lasted.
    if (changes.at(-1)?.kind === 'clear' && isOpen(changes.at(-1)) && isOpen(changes.at(-2))) changes.pop();
    const last = changes.at(-1);
    if (last?.kind === 'raise' && isOpen(last)) {
      last.count += count;
      last.detail = detail;
    } else changes.push({ kind: 'raise', id: randomUUID(), count, detail });
    this.wake();
  }

  clear(topic: AlertTopic): void {
    this.addOnce(topic, 'clear');
  }

  withdraw(topic: AlertTopic): void {
    this.addOnce(topic, 'withdraw');
  }

  /** Lets the carrier send the summaries that are due. */
  sendSummaries(): void {
    this.checkDue = true;
    this.wake();
  }

  /** Resolves when nothing is pending. */
  async flush(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  /** Makes one more attempt to store what is pending, within three seconds. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.delay.interrupt();
    if (this.faults.size > 0) this.wake();
    try {
      await withTimeout(this.flush(), STOP_TIMEOUT_MS);
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
    }
    if (this.faults.size > 0) this.log.error({ count: this.faults.size }, 'fault changes not stored');
  }

  private addOnce(topic: AlertTopic, kind: 'clear' | 'withdraw'): void {
    const { changes } = this.entryOf(topic);
    if (changes.at(-1)?.kind !== kind) changes.push({ kind });
    this.wake();
  }

  private entryOf(topic: AlertTopic): PendingFault {
    const key = alertSubject(topic);
    const existing = this.faults.get(key);
    if (existing !== undefined) return existing;
    const entry: PendingFault = { topic, changes: [] };
    this.faults.set(key, entry);
    return entry;
  }

  private dropOldest(): void {
    const [oldest] = this.faults.keys();
    const ended = [...this.faults].find(([, fault]) => !isRaised(fault))?.[0];
    const dropped = ended ?? oldest;
    if (dropped !== undefined) this.faults.delete(dropped);
    this.dropped += 1;
    // The end of a fault is repeated.
    if (ended === undefined) this.droppedAlerts?.inc();
    if (Number.isInteger(Math.log2(this.dropped)))
      this.log.error({ count: this.dropped }, 'fault changes dropped');
  }

  private wake(): void {
    if (this.faults.size > MAX_PENDING_FAULTS) this.dropOldest();
    this.running ??= this.storePending().finally(() => (this.running = undefined));
  }

  private async storePending(): Promise<void> {
    // The caller adds its change first.
    await Promise.resolve();
    for (let failures = 0; this.faults.size > 0 || this.checkDue;) {
      const error = await this.storeOnce();
      if (error === undefined) {
        failures = 0;
        continue;
      }
      if (this.stopped) return;
      failures += 1;
      if (failures === 1) this.log.warn({ err: error }, 'operational alert storage failed');
      await this.delay.wait(backoffDelayMs(failures, BACKOFF, Math.random()));
    }
  }

  /** Attempts the changes of each fault. Those with a raise come first, also one that arrives meanwhile. @returns the last failure */
  private async storeOnce(): Promise<unknown> {
    let failure: unknown;
    const attempt = async (key: string): Promise<void> => {
      try {
        await this.storeChanges(key);
      } catch (error) {
        failure = error;
      }
    };
    this.raised.clear();
    const faults = [...this.faults].toSorted(([, a], [, b]) => Number(isRaised(b)) - Number(isRaised(a)));
    for (const [key] of faults) {
      const meanwhile = [...this.raised];
      this.raised.clear();
      for (const each of meanwhile) await attempt(each);
      await attempt(key);
    }
    try {
      if (this.checkDue) await this.carrier.sendSummaries(this.now());
      this.checkDue = false;
    } catch (error) {
      failure = error;
    }
    return failure;
  }

  /** Passes on the changes that the fault has now, in order. */
  private async storeChanges(key: string): Promise<void> {
    const entry = this.faults.get(key);
    for (const change of [...(entry?.changes ?? [])]) {
      if (entry === undefined || this.faults.get(key) !== entry || entry.changes[0] !== change) return;
      entry.attempted = change;
      await this.store(entry.topic, change);
      entry.changes.shift();
      if (entry.changes.length === 0) this.faults.delete(key);
    }
  }

  private async store(topic: AlertTopic, change: Change): Promise<void> {
    const now = this.now();
    if (change.kind !== 'raise') await this.carrier[change.kind](topic, now);
    else await this.carrier.raise({ topic, count: change.count, detail: change.detail, id: change.id }, now);
  }
}

function isRaised({ changes }: PendingFault): boolean {
  return changes.some(({ kind }) => kind === 'raise');
}
