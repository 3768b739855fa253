import { definitionOf } from './definitions.js';
import { eventId, sourceUrn, type DetectedEvent } from './event.js';
import { identify } from './identity.js';

const ATTRIBUTES = ['id', 'source', 'subject'] as const;

/**
 * Compares id, source and subject with the participant and the data of an event that matches its schema. Otherwise a bridge could use the id
 * or the subject of another participant, and so suppress that participant's events.
 * @returns the name of the first attribute that belongs to another fact
 */
export function findForeignAttribute(event: DetectedEvent): (typeof ATTRIBUTES)[number] | undefined {
  const { participant, data, sequence } = event;
  const { identity } = definitionOf(event.type);
  const { naturalKey, version, subject } = identify(identity, participant, data, BigInt(sequence));
  const expected = {
    id: eventId(event.type, participant, naturalKey, version),
    source: sourceUrn(participant),
    subject,
  };
  return ATTRIBUTES.find((name) => event[name] !== expected[name]);
}
