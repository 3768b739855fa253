import type { AlertOutbox, PendingAlert } from '../storage/outbox.port.js';
import { StoppedBeforeStoredError, untilStored } from '../storage/until-stored.js';
import type { AlertSink } from './alert-sink.port.js';
import type { Attempt } from './attempt.js';
import { Settler, type StorageFailure } from './settler.js';

export interface LaneOptions {
  /** Attempts at the same time, each for another subject. */
  readonly concurrency: number;
  readonly now: () => Date;
  readonly onStorageFailure: StorageFailure;
}

/** How many alerts of one subject are read at once; they may be large. */
const CHAIN_LENGTH = 16;
/** The longest sleep, so that a changed clock cannot put an alert off for long. */
const LONGEST_SLEEP_MS = 60_000;

/**
 * Drains the outbox for one sink, so that a slow sink holds up nobody else. The alerts of one subject form a chain that is
 * delivered one after the other, and breaks off at a failure; chains run side by side. Nothing polls: the lane is woken when
 * something was committed or a chain ended, and by a timer when an alert comes due again.
 */
export class SinkLane {
  private readonly stopping = new AbortController();
  private readonly cutOff = new AbortController();
  private readonly settler: Settler;
  private readonly ready: PendingAlert[][] = [];
  private readonly subjectsInHand = new Set<string>();
  private readonly running = new Set<Promise<void>>();
  private refilling: Promise<void> | undefined;
  private wokenMeanwhile = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sink: AlertSink,
    private readonly outbox: AlertOutbox,
    private readonly attempt: Attempt,
    private readonly options: LaneOptions,
  ) {
    this.settler = new Settler(outbox, this.stopping.signal, options.onStorageFailure);
  }

  /** Something may be due. Cheap, and harmless at any time. */
  wake(): void {
    this.wokenMeanwhile = true;
    if (this.stopping.signal.aborted) return;
    this.refilling ??= this.refill().finally(() => {
      this.refilling = undefined;
      // A wake that fell between the last look and this line must not be lost.
      if (this.wokenMeanwhile && this.hasRoom()) this.wake();
    });
  }

  /** Starts nothing more and waits for the attempts under way; those that outlast the bound are broken off, to be repeated. */
  async stop(drainMs: number): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    const bound = setTimeout(() => this.cutOff.abort(), drainMs);
    await this.refilling;
    await Promise.all(this.running);
    clearTimeout(bound);
    await this.sink.close();
  }

  private async refill(): Promise<void> {
    try {
      while (this.wokenMeanwhile && this.hasRoom()) {
        this.wokenMeanwhile = false;
        const now = this.options.now();
        await this.fetchDue(now);
        this.startChains();
        if (this.hasRoom()) await this.sleepUntilNext(now);
      }
    } catch (error) {
      if (!(error instanceof StoppedBeforeStoredError)) throw error;
    }
  }

  private hasRoom(): boolean {
    const { stopping, ready, running, options } = this;
    return !stopping.signal.aborted && ready.length === 0 && running.size < options.concurrency;
  }

  private async fetchDue(now: Date): Promise<void> {
    const query = {
      sink: this.sink.name,
      now,
      exceptSubjects: [...this.subjectsInHand],
      subjects: this.options.concurrency * 2,
      perSubject: CHAIN_LENGTH,
    };
    const due = await this.persistently(() => this.outbox.due(query));
    for (const alert of due) {
      // `due` lists a subject's alerts next to each other.
      if (this.ready.at(-1)?.[0]?.subject === alert.subject) this.ready.at(-1)?.push(alert);
      else this.ready.push([alert]);
      this.subjectsInHand.add(alert.subject);
    }
  }

  private async sleepUntilNext(now: Date): Promise<void> {
    const next = await this.persistently(() => this.outbox.nextAttemptAt(this.sink.name, now));
    clearTimeout(this.timer);
    if (next === undefined || this.stopping.signal.aborted) return;
    const sleepMs = Math.min(
      Math.max(next.getTime() - this.options.now().getTime(), 0) + 1,
      LONGEST_SLEEP_MS,
    );
    this.timer = setTimeout(() => this.wake(), sleepMs);
  }

  private startChains(): void {
    while (!this.stopping.signal.aborted && this.running.size < this.options.concurrency) {
      const chain = this.ready.shift();
      if (chain === undefined) return;
      const run = this.deliverChain(chain).finally(() => {
        this.running.delete(run);
        for (const { subject } of chain) this.subjectsInHand.delete(subject);
        this.startChains();
        this.wake();
      });
      this.running.add(run);
    }
  }

  /** One after the other; the next attempt does not wait until the last outcome is written, the chain's end does. */
  private async deliverChain(chain: readonly PendingAlert[]): Promise<void> {
    const written: Promise<void>[] = [];
    for (const alert of chain) {
      if (this.stopping.signal.aborted) break;
      const settlement = await this.attempt(this.sink, alert, this.cutOff.signal);
      written.push(this.settler.settle(settlement));
      if (settlement.nextAttemptAt !== undefined) break;
    }
    await Promise.all(written);
  }

  private persistently<T>(read: () => Promise<T>): Promise<T> {
    return untilStored(read, this.stopping.signal, this.options.onStorageFailure);
  }
}
