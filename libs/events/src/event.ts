import { createEvent, type Detection, type EventEnvelope } from './envelope/envelope.js';
import { eventId } from './envelope/event-id.js';
import type { EventType } from './envelope/event-type.js';
import { factDefinitionOf, type EventDataByType, type FactType } from './definitions.js';

/** The event as the poller queues it: unsigned, without channel and topic. */
export type DetectedEvent<Type extends EventType = EventType> = EventEnvelope<Type, EventDataByType[Type]>;

/** The event as the publisher sends it to the bus, with its channel, topic and proof. */
export interface SignedEvent<Type extends EventType = EventType> extends EventEnvelope<
  Type,
  EventDataByType[Type]
> {
  /** Fully qualified name of the channel that the publisher chose. */
  readonly channel: string;
  readonly topic: string;
  /** Time of signing, RFC 3339 UTC with milliseconds. */
  readonly signedat: string;
  /** Detached JWS (ES256K) over the RFC 8785 form of the event without `proof`. */
  readonly proof: string;
}

/** What a detector found: a type and its `data`. The participant and the detection make it an event. */
export type Fact<Type extends FactType = FactType> = {
  readonly [Each in Type]: { readonly type: Each; readonly data: EventDataByType[Each] };
}[Type];

/** Creates the event of a fact. The same fact always gets the same id and sequence. */
export function createFactEvent<Type extends FactType>(
  { type, data }: { readonly type: Type; readonly data: EventDataByType[Type] },
  participant: string,
  detection: Detection,
): DetectedEvent<Type> {
  const { identify, order } = factDefinitionOf(type);
  const { sequence, marketTime } = order(data, detection.detectedAt);
  const identity = identify(participant, data, sequence);
  return createEvent({ type, ...identity, sequence, marketTime }, data, detection);
}

/** The id of the event of a fact, without the event. */
export function factEventId<Type extends FactType>(
  { type, data }: { readonly type: Type; readonly data: EventDataByType[Type] },
  participant: string,
  detectedAt: Date,
): string {
  const { identify, order } = factDefinitionOf(type);
  const identity = identify(participant, data, order(data, detectedAt).sequence);
  return eventId(type, identity.participant, identity.naturalKey, identity.version);
}
