import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { OperatorConfigFile, type ConfigSource } from '@ssb/config';
import type { Database, SqlSession } from '@ssb/postgres';
import type { AlertTopic } from '@ssb/events';
import {
  createFaultEvent,
  decideClear,
  decideDue,
  decideEndOfHour,
  decideHeld,
  decideOverflow,
  decideRaise,
  decideWithdraw,
  isHeldReportDue,
  MAX_FAULTS,
  overflowTopic,
  type ReportAllowance,
  type FaultCarrier,
  type FaultDecision,
  type DueReport,
  type Occurrences,
  type SavedFaults,
} from '@ssb/faults';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { boundedText, type DecidedEntry } from '../archive/archive-entries.js';
import { DATABASE } from '../database/database-options.js';
import type { Settings } from '../settings.js';
import { hasOperationsSink } from './domain/fault-recipients.js';
import {
  countFaults,
  deleteEndedFaults,
  findDueFaults,
  findFault,
  hasDueReports,
  listOverflowTopics,
  lockAllowance,
  saveAllowance,
  saveFault,
  type SavedFault,
} from './fault-table.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { logLocalEvents, storeLocalEvents } from './local-events.js';

const MAX_CALL_IDS = 8;
const MAX_SUMMARIES_PER_TRANSACTION = 100;

type Decide = (saved: SavedFaults) => FaultDecision;

/** Keeps the faults of all replicas in the database, and stores their events in archive and outbox, in the same transaction. */
@Injectable()
export class DatabaseFaultCarrier implements FaultCarrier {
  private readonly processId = randomUUID();

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(OperatorConfigFile) private readonly config: ConfigSource,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'OPERATIONS_WEBHOOK_URL'>,
    @Inject(SubscriberMetrics) private readonly metrics: Pick<SubscriberMetrics, 'countWithheld'>,
  ) {}

  async raise(occurrences: Occurrences, now: Date): Promise<void> {
    await this.inTransaction((session) => this.raiseWithin(session, [occurrences], now));
  }

  /** Like `raise`, in the transaction of the caller. @returns the stored events */
  async raiseWithin(
    session: SqlSession,
    occurrences: readonly Occurrences[],
    now: Date,
  ): Promise<DecidedEntry[]> {
    if (occurrences.length === 0) return [];
    const changes = new FaultChanges(session, await lockAllowance(session));
    for (const { topic: given, detail: text, count, id } of occurrences) {
      const topic = await selectTopic(session, toStorable(given));
      const detail = boundedText(text);
      const decide: Decide = (saved) => decideRaise(saved, { topic, detail, count }, this.processId, now);
      await changes.update(await findFault(session, topic), decide, id);
    }
    return this.storeReports(session, await changes.finish(), now);
  }

  async clear(topic: AlertTopic, now: Date): Promise<void> {
    await this.changeKnown(topic, (saved) => decideClear(saved, this.processId, now), now);
  }

  async withdraw(topic: AlertTopic, now: Date): Promise<void> {
    await this.changeKnown(topic, (saved) => decideWithdraw(saved, this.processId), now);
  }

  async sendSummaries(now: Date): Promise<void> {
    await deleteEndedFaults(this.database, now);
    for (const topic of await listOverflowTopics(this.database))
      await this.changeKnown(topic, (saved) => decideOverflow(saved, this.processId, now), now);
    if (!(await hasDueReports(this.database, now))) return;
    await this.inTransaction(async (session) => {
      const changes = new FaultChanges(session, await lockAllowance(session));
      await changes.update(undefined, ({ allowance }) => decideEndOfHour('subscriber', allowance, now));
      for (const fault of await findDueFaults(session, now, MAX_SUMMARIES_PER_TRANSACTION))
        await changes.update(fault, (saved) => decideDue(saved, now));
      await changes.reportHeld(now);
      return this.storeReports(session, await changes.finish(), now);
    });
  }

  /** Takes no lock when nothing changes: the end of a fault is repeated often. */
  private async changeKnown(given: AlertTopic, decide: Decide, now: Date): Promise<void> {
    const topic = toStorable(given);
    const fault = (await findFault(this.database, topic))?.state;
    if (decide({ fault, allowance: undefined }).fault === fault) return;
    await this.inTransaction(async (session) => {
      const changes = new FaultChanges(session, await lockAllowance(session));
      await changes.update(await findFault(session, topic), decide);
      return this.storeReports(session, await changes.finish(), now);
    });
  }

  private async inTransaction(work: (session: SqlSession) => Promise<DecidedEntry[]>): Promise<void> {
    const stored = await this.database.transaction(work);
    logLocalEvents(this.log, this.metrics, stored);
  }

  private storeReports(
    session: SqlSession,
    reports: readonly DueReport[],
    now: Date,
  ): Promise<DecidedEntry[]> {
    const events = reports.map((report) => createFaultEvent(report, now));
    return storeLocalEvents(session, this.config.current(), events, now, hasOperationsSink(this.settings));
  }
}

/** Applies decisions to faults one after the other, in one transaction. */
class FaultChanges {
  private readonly reports: DueReport[] = [];
  private allowance: ReportAllowance | undefined;

  constructor(
    private readonly session: SqlSession,
    private readonly savedAllowance: ReportAllowance | undefined,
  ) {
    this.allowance = savedAllowance;
  }

  /** @param callId a call that was stored before, although its response was lost, is not applied again */
  async update(saved: SavedFault | undefined, decide: Decide, callId?: string): Promise<void> {
    const callIds = saved?.callIds ?? [];
    if (callId !== undefined && callIds.includes(callId)) return;
    const { fault, allowance, alerts } = decide({ fault: saved?.state, allowance: this.allowance });
    this.allowance = allowance;
    this.reports.push(...alerts);
    const nextCallIds = callId === undefined ? callIds : [...callIds, callId].slice(-MAX_CALL_IDS);
    if (fault !== undefined) await saveFault(this.session, { state: fault, callIds: nextCallIds });
  }

  async reportHeld(now: Date): Promise<void> {
    if (!isHeldReportDue(this.allowance, now)) return;
    const held = (await findDueFaults(this.session, now, MAX_FAULTS)).map(({ state }) => state);
    await this.update(undefined, ({ allowance }) => decideHeld('subscriber', held, allowance, now));
  }

  /** @returns the reports to store */
  async finish(): Promise<readonly DueReport[]> {
    // A report with nothing waiting changes it too, and must not be repeated at each look.
    if (this.allowance !== this.savedAllowance) await saveAllowance(this.session, this.allowance);
    return this.reports;
  }
}

/** The topic of the fault, or of all others of its reason when too many faults are kept. */
async function selectTopic(session: SqlSession, topic: AlertTopic): Promise<AlertTopic> {
  if ((await countFaults(session)) < MAX_FAULTS || (await findFault(session, topic)) !== undefined)
    return topic;
  return overflowTopic(topic);
}

/** Participant, channel, sender and document may come from a message. */
function toStorable({ participant, channel, sender, document, ...topic }: AlertTopic): AlertTopic {
  return {
    ...topic,
    participant: boundedText(participant),
    ...(channel !== undefined && { channel: boundedText(channel) }),
    ...(sender !== undefined && { sender: boundedText(sender) }),
    ...(document !== undefined && { document: boundedText(document) }),
  };
}
