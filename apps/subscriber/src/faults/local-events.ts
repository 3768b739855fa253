import type { SqlSession } from '@ssb/postgres';
import { readProblemSignal, type DetectedEvent } from '@ssb/events';
import { findWithholding, isCritical, OPERATIONS_SINK, type OperatorConfig } from '@ssb/config';
import type { LogFields, Logger } from '@ssb/platform';
import { findFaultRecipients } from './domain/fault-recipients.js';
import { LOCAL } from '../domain/marks.js';
import { toNanoseconds } from '../domain/nanoseconds.js';
import { DELIVERIES_CHANNEL } from '../deliveries/outbox/pending-delivery.js';
import { createAlertPolicy, type AlertPolicy } from '../archive/alert-policy.js';
import type { DecidedEntry, TimedEntry, VerifiedEntry } from '../archive/archive-entries.js';
import { insertDeliveries } from '../deliveries/outbox/delivery-outbox.js';
import { insertArchive } from '../archive/insert-archive.js';
import { insertInbox } from '../archive/find-new-events.js';
import { planDeliveries } from '../archive/plan-deliveries.js';
import { applyEvents } from '../problems/apply-events.js';
import { readActiveSilences } from '../silences/silence-table.js';
import { deliveryFields, logProblemChange } from '../receiver/result-log.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';

/**
 * Stores events of the subscriber itself in archive and outbox, and wakes the dispatchers of all replicas at the commit.
 * @param operationsSink OPERATIONS_WEBHOOK_URL is set
 */
export async function storeLocalEvents(
  session: SqlSession,
  config: OperatorConfig,
  events: readonly DetectedEvent[],
  now: Date,
  operationsSink: boolean,
): Promise<DecidedEntry[]> {
  if (events.length === 0) return [];
  const created = events.map(createLocalEntry);
  const newIds = await insertInbox(session, created, now);
  const entries = created.filter(({ event }) => newIds.has(event.id));
  const timed = entries.map((entry): TimedEntry => ({ entry, marks: entry.marks, timing: 'now' }));
  const silences = await readActiveSilences(session);
  const policy = { ...createFaultPolicy(config, events, operationsSink), silences };
  const offsets = await insertArchive(session, timed, policy, now);
  const { effects } = await applyEvents(session, timed, { offsets, highest: new Map(), policy, now });
  const decided = await planDeliveries(session, timed, effects, policy, now);
  await insertDeliveries(session, decided);
  await session.notify(DELIVERIES_CHANNEL, '');
  return decided;
}

/** The sinks of one event, without the database, which knows its problem. A rule that is muted sends it nothing. */
export function findRecipientsOf(
  config: OperatorConfig,
  event: DetectedEvent,
  operationsSink: boolean,
): readonly string[] {
  const entry = createLocalEntry(event);
  const policy = createFaultPolicy(config, [event], operationsSink);
  const { type, participant } = event;
  const severity = policy.severityOf(entry.problem);
  const facts = { type, participant, severity, problem: 'bridge-fault' } as const;
  const rules = policy.findWithholdingRules(facts);
  const context = { at: new Date(event.detectedat), isCritical: isCritical(severity, type) };
  return policy.findSinks(entry, facts).filter(
    (sink) =>
      findWithholding(
        rules.filter(({ sinks }) => sinks.includes(sink)),
        context,
      ) === undefined,
  );
}

/** The rules, and for faults of deliveries further sinks. */
function createFaultPolicy(
  config: OperatorConfig,
  events: readonly DetectedEvent[],
  operationsSink: boolean,
): AlertPolicy {
  const policy = createAlertPolicy(config);
  const byId = new Map<string, DetectedEvent>(events.map((event) => [event.id, event]));
  return {
    ...policy,
    hasSink: (name) => (name === OPERATIONS_SINK ? operationsSink : policy.hasSink(name)),
    findSinks: (entry, facts) => {
      const routed = policy.findSinks(entry, facts);
      const event = byId.get(entry.event.id);
      return event ? findFaultRecipients(config, event, routed, operationsSink) : routed;
    },
  };
}

/** The event has the attribute `local`, and neither a signature nor a proof. */
function createLocalEntry(event: DetectedEvent): VerifiedEntry {
  return {
    kind: 'verified',
    message: {
      id: event.id,
      fqcn: LOCAL,
      payload: JSON.stringify({ ...event, local: true }),
      signature: '',
      sender: LOCAL,
      timestampNanos: toNanoseconds(Date.parse(event.detectedat)),
    },
    event: { ...event, signedat: event.detectedat },
    origin: LOCAL,
    problem: readProblemSignal(event),
    amount: undefined,
    marks: [LOCAL],
    announcesProblem: false,
    documentVersion: undefined,
    isRestated: false,
  };
}

/** Logs and counts stored events, as events from the bus. */
export function logLocalEvents(
  log: Logger,
  metrics: Pick<SubscriberMetrics, 'countWithheld'>,
  stored: readonly DecidedEntry[],
): void {
  for (const decided of stored) {
    metrics.countWithheld(decided.deliveries);
    log.info(toArchivedFields(decided), 'event archived');
    logProblemChange(log, decided.entry, decided.effect);
  }
}

/** The fields of the step `archived`. */
function toArchivedFields({ entry, deliveries }: DecidedEntry): LogFields {
  const { event, origin, message } = entry;
  return {
    step: 'archived',
    eventId: event.id,
    eventType: event.type,
    subject: event.subject,
    origin,
    channel: message.fqcn,
    detectedAt: event.detectedat,
    verifiedAt: event.detectedat,
    factTime: event.time,
    ...deliveryFields(deliveries),
  };
}
