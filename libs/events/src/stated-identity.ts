import { sourceUrn, type FactIdentity } from './envelope/create-event.js';
import { eventId } from './envelope/event-id.js';
import type { DetectedEvent } from './event.js';
import { identifyAlert } from './types/bridge-alert.js';
import { identifyHeartbeat } from './types/heartbeat.js';
import { identifyInvoice } from './types/invoice-issued.js';
import { identifyMargin } from './types/margin.js';
import { identifyStatement } from './types/statement-published.js';

const ATTRIBUTES = ['id', 'source', 'subject'] as const;

/**
 * Compares id, source and subject with the participant and the data of an event that matches its schema. Otherwise a bridge could use the id
 * or the subject of another participant, and so suppress that participant's events.
 * @returns the name of the first attribute that belongs to another fact
 */
export function findForeignAttribute(event: DetectedEvent): (typeof ATTRIBUTES)[number] | undefined {
  const { participant, naturalKey, version, subject } = identify(event);
  const expected = {
    id: eventId(event.type, participant, naturalKey, version),
    source: sourceUrn(participant),
    subject,
  };
  return ATTRIBUTES.find((name) => event[name] !== expected[name]);
}

function identify(event: DetectedEvent): FactIdentity {
  const { participant } = event;
  const sequence = Number(event.sequence);
  switch (event.type) {
    case 'settlementbus.statement.published.v1':
      return identifyStatement(participant, dataOf(event, event.type));
    case 'settlementbus.invoice.issued.v1':
      return identifyInvoice(participant, dataOf(event, event.type));
    case 'settlementbus.margin.warning.v1':
    case 'settlementbus.margin.breached.v1':
    case 'settlementbus.margin.restored.v1':
      return identifyMargin(participant, dataOf(event, event.type));
    case 'settlementbus.bridge.alert.raised.v1':
    case 'settlementbus.bridge.alert.cleared.v1':
      return identifyAlert(participant, dataOf(event, event.type), sequence);
    case 'settlementbus.bridge.heartbeat.v1':
      return identifyHeartbeat(participant, dataOf(event, event.type), sequence);
    default:
      return event.type satisfies never;
  }
}

/** The compiler does not relate `data` to `type`. */
function dataOf<Type extends DetectedEvent['type']>(
  event: DetectedEvent,
  _type: Type,
): DetectedEvent<Type>['data'] {
  return event.data as DetectedEvent<Type>['data'];
}
