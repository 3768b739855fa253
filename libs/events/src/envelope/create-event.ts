import type { Detection, EventEnvelope } from './envelope.js';
import { eventId } from './event-id.js';
import type { EventType } from './event-type.js';
import { MARKET_OFFSET } from './market-time.js';

/** What identifies a fact among those of its type. */
export interface FactIdentity {
  readonly participant: string;
  readonly naturalKey: string;
  readonly version: string;
  readonly subject: string;
}

/** The attributes that identify a fact and order it within its subject. */
export interface FactAttributes<Type extends EventType> extends FactIdentity {
  readonly type: Type;
  /** A whole number that grows from one event of the subject to the next. */
  readonly sequence: bigint;
  /** Zone-less market time, `yyyy-MM-ddTHH:mm:ss`. */
  readonly marketTime: string;
}

/** Creates the event of a fact. The same fact always gets the same id, sequence and time. */
export function createEvent<Type extends EventType, Data>(
  attributes: FactAttributes<Type>,
  data: Data,
  { detectedAt, traceparent, backfilled }: Detection,
): EventEnvelope<Type, Data> {
  const { type, participant, naturalKey, version, subject, sequence, marketTime } = attributes;
  return Object.freeze({
    specversion: '1.0',
    id: eventId(type, participant, naturalKey, version),
    type,
    source: sourceUrn(participant),
    subject,
    time: `${marketTime}${MARKET_OFFSET}`,
    datacontenttype: 'application/json',
    dataschema: dataschemaUrn(type),
    participant,
    sequence: sequence.toString().padStart(20, '0'),
    traceparent,
    detectedat: detectedAt.toISOString(),
    ...(backfilled && { backfilled }),
    data,
  });
}

/** `urn:settlement-bus-bridge:<participant>`. */
export function sourceUrn(participant: string): string {
  return `urn:settlement-bus-bridge:${encodeURIComponent(participant)}`;
}

export function dataschemaUrn(type: EventType): string {
  return `urn:settlement-bus-bridge:schema:${type}`;
}
