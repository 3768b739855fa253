import { encodeUtf8, sha256 } from '@ssb/identity';
import type { FactOrder } from './definition.js';
import { factDefinitionOf, type EventDataByType, type FactType } from './definitions.js';
import type { EventType } from './envelope/event-type.js';
import { MARKET_OFFSET } from './envelope/market-time.js';
import { identify, type FactIdentity } from './identity.js';

/** A UUID in version-4 form, derived from the fact. Detecting the same fact again gives the same id. */
export type EventId = string & { readonly __brand: 'EventId' };

/** A CloudEvents 1.0 event in structured JSON form, as the poller queues it: unsigned, without channel and topic. */
export interface DetectedEvent<Type extends EventType = EventType> {
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
  readonly data: EventDataByType[Type];
}

/** The event as the publisher sends it to the bus, with its channel, topic and proof. */
export interface SignedEvent<Type extends EventType = EventType> extends DetectedEvent<Type> {
  /** Fully qualified name of the channel that the publisher chose. */
  readonly channel: string;
  readonly topic: string;
  /** Time of signing, RFC 3339 UTC with milliseconds. */
  readonly signedat: string;
  /** Detached JWS (ES256K) over the RFC 8785 form of the event without `proof`. */
  readonly proof: string;
}

/** When and in which trace the poller detected a fact. */
export interface Detection {
  readonly detectedAt: Date;
  readonly traceparent: string;
  /** Raised by a backfill of a past range. */
  readonly backfilled?: true;
}

/** What a detector found: a type and its `data`. The participant and the detection make it an event. */
export type Fact<Type extends FactType = FactType> = {
  readonly [Each in Type]: { readonly type: Each; readonly data: EventDataByType[Each] };
}[Type];

/** Creates the event of a fact. The same fact always gets the same id, sequence and time. */
export function createFactEvent<Type extends FactType>(
  { type, data }: { readonly type: Type; readonly data: EventDataByType[Type] },
  participant: string,
  detection: Detection,
): DetectedEvent<Type> {
  const { identity, order } = factDefinitionOf(type);
  const factOrder = order(data, detection.detectedAt);
  const attributes = { type, ...identify(identity, participant, data, factOrder.sequence), ...factOrder };
  return createEvent(attributes, data, detection);
}

/** The id of the event of a fact, without the event. */
export function factEventId<Type extends FactType>(
  { type, data }: { readonly type: Type; readonly data: EventDataByType[Type] },
  participant: string,
  detectedAt: Date,
): string {
  const { identity, order } = factDefinitionOf(type);
  const { sequence } = order(data, detectedAt);
  const { naturalKey, version } = identify(identity, participant, data, sequence);
  return eventId(type, participant, naturalKey, version);
}

/** Creates an event from its identity and its order within its subject. */
export function createEvent<Type extends EventType>(
  attributes: FactIdentity & FactOrder & { readonly type: Type },
  data: EventDataByType[Type],
  { detectedAt, traceparent, backfilled }: Detection,
): DetectedEvent<Type> {
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

export function dataschemaUrn(type: string): string {
  return `urn:settlement-bus-bridge:schema:${type}`;
}

/**
 * Derives an event's id from its fact: SHA-256 of the parts, each prefixed with its length. It is also job id and archive key. It is not secret,
 * so the `transactionId` of the message is a keyed function of it.
 */
export function eventId(type: string, participant: string, naturalKey: string, version: string): EventId {
  const parts = [type, participant, naturalKey, version];
  const text = parts.map((part) => `${encodeUtf8(part).length}:${part}`).join('');
  return toUuidV4(sha256(text)) as EventId;
}

/** Writes the first 16 bytes as a UUID in version-4 form (RFC 9562 §5.4). */
export function toUuidV4(digest: Uint8Array): string {
  const bytes = Uint8Array.from(digest.subarray(0, 16));
  // Version 4 in the high bits of octet 6, variant 10 in those of octet 8.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
