import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { ConfigInUse } from '../configuration/config-in-use.js';
import { DATABASE } from '../database/database-options.js';
import { ReminderScheduler } from '../reminders/reminder-scheduler.js';
import { Rounds } from '../reminders/rounds.js';
import type { Term } from '../replica/running-term.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { endOf, type Silence } from './domain/silence.js';
import { OpenSilences } from './open-silences.js';
import { auditSilence } from './silence-audit.js';
import { findUnreadSilences, readTime } from './silence-table.js';

/*
 *   scheduled  It has not started.
 *   active     It withholds deliveries. Each critical problem that it hides is reported to the sinks of alerts.audit.
 *   over       What it withheld is sent, if it still matters, and its end is reported.
 *   concluded  Nothing is left to do.
 *
 * scheduled → active → over → concluded, by the clock of the database. Every replica may do each step; it takes effect once.
 */

const MAX_WAIT_MS = 60_000;
const RETRY_MS = 1_000;

/** Follows silences from their start to their end. Without one, a round is one statement and no timer runs. */
@Injectable()
export class SilenceKeeper {
  private rounds: Rounds | undefined;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(ConfigInUse) private readonly config: Pick<ConfigInUse, 'current'>,
    private readonly silences: OpenSilences,
    @Inject(ReminderScheduler) private readonly reminders: Pick<ReminderScheduler, 'send'>,
    private readonly metrics: SubscriberMetrics,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  start(term: Term): void {
    this.silences.forget();
    this.rounds = new Rounds((signal) => this.run(signal), term);
    this.wake();
  }

  /** Call it when a silence may have changed, and in each round of the lease. */
  wake(): void {
    this.rounds?.wake();
  }

  /** Ends after the running transaction. */
  async stop(): Promise<void> {
    const { rounds } = this;
    this.rounds = undefined;
    await rounds?.stop();
    this.metrics.silences.remove();
  }

  /** @returns the time until the next start or end; undefined without an open silence */
  private async run(signal: AbortSignal): Promise<number | undefined> {
    try {
      return await this.follow(signal);
    } catch (err) {
      this.metrics.storageFailures.inc();
      this.log.error({ err, waitMs: RETRY_MS }, 'silence round failed');
      return RETRY_MS;
    }
  }

  private async follow(signal: AbortSignal): Promise<number | undefined> {
    const { database, metrics, reminders } = this;
    const open = await this.silences.refresh();
    if (open.length === 0) {
      metrics.silences.set(0);
      return undefined;
    }
    const now = await readTime(database);
    const started = open.filter(({ startsAt }) => startsAt <= now);
    const over = started.filter((silence) => endOf(silence) <= now);
    metrics.silences.set(started.length - over.length);
    // Before the reminders: a transaction that still runs may commit an alert that a silence withheld.
    const unread = over.length > 0 ? await findUnreadSilences(database) : new Set<number>();
    const isComplete = over.length > 0 && (await reminders.send(signal)).isComplete;
    const audit = this.config.current().alerts.audit ?? [];
    for (const { silenceId } of started) {
      if (signal.aborted) break;
      await auditSilence(database, silenceId, audit, isComplete && unread.has(silenceId));
    }
    if (over.length > 0) return RETRY_MS;
    return Math.min(MAX_WAIT_MS, ...open.map((silence) => nextTimeOf(silence, now) - now.getTime()));
  }
}

/** Its start, then its end. */
function nextTimeOf(silence: Silence, now: Date): number {
  const next = silence.startsAt > now ? silence.startsAt : endOf(silence);
  // The database counts microseconds, of which a Date loses the last three digits.
  return next.getTime() + 1;
}
