import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { ConfigInUse } from '../configuration/config-in-use.js';
import { DATABASE } from '../database/database-options.js';
import type { Term } from '../replica/running-term.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { canBecomeDue, sendDueMessages } from './send-due-messages.js';

/*
 * No timer is stored. What is due follows from the problem, the rules and the deliveries so far, by the clock of the database, so it is the
 * same after a restart and for every replica. The shortest pause of a rule is one minute: a round each minute sees every new due time before it.
 */

const MAX_WAIT_MS = 60_000;
const RETRY_MS = 5_000;

/** Sends reminders and escalations during a term. */
@Injectable()
export class ReminderScheduler {
  private rounds: Rounds | undefined;
  private lastWasNeeded = false;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(ConfigInUse) private readonly config: Pick<ConfigInUse, 'current'>,
    private readonly metrics: SubscriberMetrics,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  start(term: Term): void {
    this.rounds = new Rounds((signal) => this.run(signal), term);
    this.wake();
  }

  /** Begins a round now. Call it when the configuration has changed. */
  wake(): void {
    this.rounds?.wake();
  }

  /** Ends after the running transaction. */
  async stop(): Promise<void> {
    const { rounds } = this;
    this.rounds = undefined;
    await rounds?.stop();
  }

  /** One round. @returns the time until the next one; undefined when only a change of the configuration can make a message due */
  private async run(signal: AbortSignal): Promise<number | undefined> {
    const config = this.config.current();
    const isNeeded = canBecomeDue(config);
    // A rule that was muted until now may have been the last one.
    if (!isNeeded && !this.lastWasNeeded) return undefined;
    try {
      const { sent, nextMs = MAX_WAIT_MS } = await sendDueMessages(this.database, config, signal);
      this.lastWasNeeded = isNeeded;
      for (const { id: eventId, problemId, sink, kind, withheld } of sent) {
        this.metrics.reminders.inc({ kind: kind === 'escalation' ? 'escalation' : 'reminder' });
        if (withheld !== null) this.metrics.withheldDeliveries.inc({ sink, reason: withheld });
        this.log.info(
          { problem: problemId, kind, sink, eventId, ...(withheld && { reason: withheld }) },
          'problem reminded',
        );
      }
      return isNeeded ? Math.min(nextMs, MAX_WAIT_MS) : undefined;
    } catch (err) {
      this.metrics.storageFailures.inc();
      this.log.error({ err, waitMs: RETRY_MS }, 'reminder access failed');
      return RETRY_MS;
    }
  }
}

/** Runs rounds one after the other until the term ends. */
class Rounds {
  private readonly stopping = new AbortController();
  private readonly signal: AbortSignal;
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private wakePending = false;

  constructor(
    private readonly run: (signal: AbortSignal) => Promise<number | undefined>,
    term: Term,
  ) {
    this.signal = AbortSignal.any([term.ended, this.stopping.signal]);
    this.signal.addEventListener('abort', () => clearTimeout(this.timer), { once: true });
  }

  wake(): void {
    if (this.signal.aborted) return;
    clearTimeout(this.timer);
    this.wakePending = true;
    this.running ??= this.runWhilePending().finally(() => {
      this.running = undefined;
      // A wake after the last round must not be lost.
      if (this.wakePending) this.wake();
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async runWhilePending(): Promise<void> {
    let waitMs: number | undefined;
    while (this.wakePending && !this.signal.aborted) {
      this.wakePending = false;
      waitMs = await this.run(this.signal);
    }
    if (waitMs !== undefined && !this.signal.aborted)
      this.timer = setTimeout(() => this.wake(), Math.max(0, waitMs));
  }
}
