import { eventId, type EventId } from './event-id.js';
import type { EventType } from './event-type.js';
import { MARKET_OFFSET } from './market-time.js';

/** A CloudEvents 1.0 event in structured JSON form, as the poller creates it. */
export interface EventEnvelope<Type extends EventType, Data> {
  readonly specversion: '1.0';
  /** Repeats have the same id, whatever the `transactionId` of their message. */
  readonly id: EventId;
  readonly type: Type;
  /** `urn:settlement-bus-bridge:<participant>`. */
  readonly source: string;
  /** What the event is about. `sequence` orders the events of one subject. */
  readonly subject: string;
  /** Time of the fact, RFC 3339 with the market's offset (+08:00). */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /** Identifier of the JSON Schema of the signed event. */
  readonly dataschema: string;
  readonly participant: string;
  /** 20 digits, zero-padded, so that it sorts as a string. */
  readonly sequence: string;
  /** W3C Trace Context of the poll that found the fact. */
  readonly traceparent: string;
  /** Time at which the poller received the market's response, RFC 3339 UTC with milliseconds. */
  readonly detectedat: string;
  /** Present when the event was raised by a backfill of a past range. */
  readonly backfilled?: true;
  readonly data: Data;
}

/** When and in which trace the poller detected a fact. */
export interface Detection {
  readonly detectedAt: Date;
  readonly traceparent: string;
  /** Raised by a backfill of a past range. */
  readonly backfilled?: true;
}

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
