import type { SqlSession } from '@ssb/postgres';
import type { DetectedEvent } from '@ssb/events';
import type { OperatorConfig } from '@ssb/config';
import type { LogFields } from '@ssb/platform';
import { findFaultRecipients } from './domain/fault-recipients.js';
import { toDeliveryKind } from '../domain/delivery-kind.js';
import { LOCAL } from '../domain/marks.js';
import { toNanoseconds } from '../domain/nanoseconds.js';
import { DELIVERIES_CHANNEL } from '../deliveries/outbox/pending-delivery.js';
import type { DecidedEntry, VerifiedEntry } from '../archive/archive-entries.js';
import { insertDeliveries } from '../deliveries/outbox/delivery-outbox.js';
import { insertArchive } from '../archive/insert-archive.js';
import { insertInbox } from '../archive/find-new-events.js';

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
): Promise<VerifiedEntry[]> {
  if (events.length === 0) return [];
  const created = events.map((event) => createLocalEntry(config, event, operationsSink));
  const newIds = await insertInbox(session, created, now);
  const entries = created.filter(({ event }) => newIds.has(event.id));
  const decided = entries.map((entry): DecidedEntry => ({ entry, marks: entry.marks, timing: 'now' }));
  await insertArchive(session, decided, now);
  await insertDeliveries(session, decided);
  await session.notify(DELIVERIES_CHANNEL, '');
  return entries;
}

/** The event has the attribute `local`, and neither a signature nor a proof. */
function createLocalEntry(
  config: OperatorConfig,
  event: DetectedEvent,
  operationsSink: boolean,
): VerifiedEntry {
  const { sinks, alert } = findFaultRecipients(config, event, operationsSink);
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
    sinks,
    deliveryKind: toDeliveryKind(alert),
    marks: [LOCAL],
    announcesProblem: false,
    documentVersion: undefined,
    isRestated: false,
  };
}

/** The fields of the step `archived`, as for an event from the bus. */
export function toArchivedFields({ event, origin, message, sinks, deliveryKind }: VerifiedEntry): LogFields {
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
    sinks,
    deliveryKind,
  };
}
