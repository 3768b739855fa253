import { randomUUID } from 'node:crypto';
import {
  ALERT_REASONS,
  alertSubject,
  type AlertReason,
  type AlertTopic,
  type DetectedEvent,
} from '@ssb/events';
import type { Logger } from '@ssb/platform';
import type { EventQueue } from '../queue/event-queue.js';
import {
  type FaultCarrier,
  type Occurrences,
  createFaultEvent,
  decideClear,
  decideDue,
  decideEndOfHour,
  decideHeld,
  decideOverflow,
  decideRaise,
  decideWithdraw,
  overflowTopic,
  type FaultDecision,
  type SavedFaults,
  isHeldReportDue,
  isExpired,
  MAX_FAULTS,
  MAX_WAITING_ALERTS,
  type OperationsWebhook,
} from '@ssb/faults';
import { RedisFaultStore, type RedisFaultStoreOptions, type SavedFault } from './redis-fault-store.js';

export interface QueueFaultCarrierOptions extends RedisFaultStoreOptions {
  readonly queue: Pick<EventQueue, 'enqueue'>;
  /** Receives the alerts about the gateway as well, because they cannot pass it. */
  readonly webhook: Pick<OperationsWebhook, 'post'>;
  readonly log: Logger;
}

/** Faults of the gateway and of the subscriber. Their events wait on the queue until the fault ends. */
const POSTED_REASONS: ReadonlySet<string> = new Set<AlertReason>([
  'gateway-unreachable',
  'gateway-credentials-refused',
  'gateway-not-enrolled',
  'channel-not-permitted',
  'subscriber-silent',
]);

const MAX_CALL_IDS = 8;

/** A saved alert of this age is posted by any process, because the one that queued it may have ended. */
const POSTED_BY_ANY_AFTER_MS = 60_000;

/**
 * Sends the alerts of poller and bus-publisher through the queue and the bus. An alert is saved together with the state that it reports,
 * then queued. After a crash in between, any replica queues the saved event, so its id stays the same.
 */
export class QueueFaultCarrier implements FaultCarrier {
  private readonly store: RedisFaultStore;
  private readonly processId = randomUUID();
  /** Ids of saved alerts that this process posts. */
  private readonly postedIds = new Set<string>();

  constructor(private readonly options: QueueFaultCarrierOptions) {
    this.store = new RedisFaultStore(options);
  }

  async raise(occurrences: Occurrences, now: Date): Promise<void> {
    const topic = await this.selectTopic(occurrences.topic);
    const decide = (saved: SavedFaults) => decideRaise(saved, { ...occurrences, topic }, this.processId, now);
    await this.update(alertSubject(topic), decide, now, occurrences.id);
    await this.sendUnsent();
  }

  async clear(topic: AlertTopic, now: Date): Promise<void> {
    await this.update(alertSubject(topic), (saved) => decideClear(saved, this.processId, now), now);
    await this.sendUnsent();
  }

  async withdraw(topic: AlertTopic, now: Date): Promise<void> {
    await this.update(alertSubject(topic), (saved) => decideWithdraw(saved, this.processId), now);
  }

  async sendSummaries(now: Date): Promise<void> {
    const { app } = this.options;
    const { faults, allowance } = await this.store.list();
    if (decideEndOfHour(app, allowance, now).alerts.length > 0)
      await this.store.update('', (saved) =>
        this.withEvents(decideEndOfHour(app, saved.allowance, now), undefined, now),
      );
    for (const [key, fault] of faults) {
      const isDue = isExpired(fault, now) || decideDue({ fault, allowance }, now).alerts.length > 0;
      if (isDue) await this.update(key, (saved) => decideDue(withoutExpired(saved, now), now), now);
      if (decideOverflow({ fault, allowance }, this.processId, now).fault !== fault)
        await this.update(key, (saved) => decideOverflow(saved, this.processId, now), now);
    }
    if (isHeldReportDue(allowance, now)) await this.reportHeld(now);
    await this.sendUnsent();
    await this.postUnposted(now);
  }

  /** Lists the faults again, because some of their alerts have just been sent. */
  private async reportHeld(now: Date): Promise<void> {
    const { faults } = await this.store.list();
    const decide = ({ allowance }: Pick<SavedFaults, 'allowance'>) =>
      decideHeld(this.options.app, faults.values(), allowance, now);
    await this.store.update('', (saved) => this.withEvents(decide(saved), undefined, now));
  }

  /** Topics of the faults that have a beginning and no end yet. */
  async listLastingTopics(): Promise<AlertTopic[]> {
    const { faults } = await this.store.list();
    return [...faults.values()].flatMap(({ topic, endedAt }) =>
      ALERT_REASONS[topic.reason].clears && endedAt === undefined ? [topic] : [],
    );
  }

  /** The topic of the fault, or of all others of its reason when too many faults are kept. */
  private async selectTopic(topic: AlertTopic): Promise<AlertTopic> {
    if ((await this.store.count()) < MAX_FAULTS || (await this.store.has(alertSubject(topic)))) return topic;
    return overflowTopic(topic);
  }

  private async update(
    key: string,
    decide: (saved: SavedFaults) => FaultDecision,
    now: Date,
    callId?: string,
  ): Promise<void> {
    await this.store.update(key, ({ fault, allowance }) => {
      const callIds = fault?.callIds ?? [];
      // An earlier attempt of this call was saved, although its response was lost.
      if (callId !== undefined && callIds.includes(callId)) return { fault, allowance, events: [] };
      const nextCallIds = callId === undefined ? callIds : [...callIds, callId].slice(-MAX_CALL_IDS);
      return this.withEvents(decide({ fault: fault?.state, allowance }), nextCallIds, now);
    });
  }

  private withEvents(
    { fault, allowance, alerts }: FaultDecision,
    callIds: readonly string[] = [],
    now: Date,
  ) {
    const saved: SavedFault | undefined = fault && { state: fault, callIds };
    return { fault: saved, allowance, events: alerts.map((alert) => createFaultEvent(alert, now)) };
  }

  private async sendUnsent(): Promise<void> {
    const { queue, webhook, log } = this.options;
    const events = await this.store.listUnsent();
    await queue.enqueue(events);
    const unposted: DetectedEvent[] = [];
    for (const event of events) {
      const reason = 'reason' in event.data ? event.data.reason : '';
      log.info({ eventId: event.id, eventType: event.type, reason }, 'operational alert queued');
      if (POSTED_REASONS.has(reason) && webhook.post(event)) unposted.push(event);
    }
    await this.store.deleteUnsent(events, unposted);
    for (const { id } of unposted) this.postedIds.add(id);
  }

  /** Deletes what the webhook accepted, and continues after a restart with the newest that it did not accept. */
  private async postUnposted(now: Date): Promise<void> {
    const events = await this.store.listUnposted();
    const newest = events.slice(-MAX_WAITING_ALERTS);
    const kept = newest.filter((event) => {
      const isOld = now.getTime() - Date.parse(event.detectedat) >= POSTED_BY_ANY_AFTER_MS;
      const isOfOther = !isOld && !this.postedIds.has(event.id);
      return isOfOther || this.options.webhook.post(event);
    });
    for (const event of events) if (!kept.includes(event)) this.postedIds.delete(event.id);
    await this.store.deleteUnposted(events.filter((event) => !kept.includes(event)));
  }
}

function withoutExpired({ fault, allowance }: SavedFaults, now: Date): SavedFaults {
  return { fault: fault && isExpired(fault, now) ? undefined : fault, allowance };
}
