import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { ConfigInUse } from '../configuration/config-in-use.js';
import { DATABASE } from '../database/database-options.js';
import { RETRY_MS } from '../domain/pauses.js';
import type { Term } from '../replica/running-term.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { groupsNotices, sendDigests, type DigestRound } from '../digests/send-digests.js';
import { OpenSilences } from '../silences/open-silences.js';
import { canBecomeDue, sendDueMessages, type RoundResult } from './send-due-messages.js';
import { Rounds } from './rounds.js';

/*
 * No timer is stored. What is due follows from the problem, the rules and the deliveries so far, by the clock of the database, so it is the
 * same after a restart and for every replica. The shortest pause of a rule is one minute: a round each minute sees every new due time before it.
 */

const MAX_WAIT_MS = 60_000;

/** Sends reminders, escalations and digests during a term. */
@Injectable()
export class ReminderScheduler {
  private rounds: Rounds | undefined;
  /** A rule that was muted until now may have been the last one. */
  private lastWasNeeded = true;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(ConfigInUse) private readonly config: Pick<ConfigInUse, 'current'>,
    private readonly silences: OpenSilences,
    private readonly metrics: SubscriberMetrics,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  start(term: Term): void {
    // The configuration may have changed before the term.
    this.lastWasNeeded = true;
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

  /** Sends what is due now, whatever the rules need. */
  async send(signal: AbortSignal): Promise<RoundResult> {
    const { database, silences, metrics, log } = this;
    const round = await sendDueMessages(database, this.config.current(), signal, silences, (problem, err) => {
      metrics.storageFailures.inc();
      log.error({ err, problem, waitMs: RETRY_MS }, 'problem reminder failed');
    });
    for (const { id: eventId, problemId, sink, kind, withheld } of round.sent) {
      metrics.reminders.inc({ kind: kind === 'escalation' ? 'escalation' : 'reminder' });
      if (withheld !== null) metrics.withheldDeliveries.inc({ sink, reason: withheld });
      log.info(
        { problem: problemId, kind, sink, eventId, ...(withheld && { reason: withheld }) },
        'problem reminded',
      );
    }
    return round;
  }

  private async sendDigests(signal: AbortSignal): Promise<DigestRound> {
    const { database, metrics, log } = this;
    const round = await sendDigests(database, this.config.current(), signal, (sink, err) => {
      metrics.storageFailures.inc();
      log.error({ err, sink, waitMs: RETRY_MS }, 'digest failed');
    });
    for (const { id: eventId, sink, events } of round.sent) {
      metrics.digests.inc({ sink });
      log.info({ eventId, sink, count: events }, 'digest added');
    }
    return round;
  }

  /** One round. @returns the time until the next one; undefined when only a change of the configuration can make a message due */
  private async run(signal: AbortSignal): Promise<number | undefined> {
    const config = this.config.current();
    const isNeeded = canBecomeDue(config) || groupsNotices(config);
    if (!isNeeded && !this.lastWasNeeded) return undefined;
    try {
      const { nextMs = MAX_WAIT_MS, isComplete } = await this.send(signal);
      const digests = await this.sendDigests(signal);
      this.lastWasNeeded = isNeeded || !isComplete || !digests.isComplete;
      return this.lastWasNeeded ? Math.min(nextMs, digests.nextMs ?? MAX_WAIT_MS) : undefined;
    } catch (err) {
      this.metrics.storageFailures.inc();
      this.log.error({ err, waitMs: RETRY_MS }, 'reminder round failed');
      return RETRY_MS;
    }
  }
}
