import type { DataOf } from '../types/data.js';
import type { EventId } from './event-id.js';
import type { EventType } from './event-type.js';

/** A CloudEvents 1.0 event in structured JSON form, as the poller states it. */
export interface DetectedEvent<T extends EventType = EventType> {
  readonly specversion: '1.0';
  readonly id: EventId;
  readonly type: T;
  /** `urn:settlement-bus-bridge:<participant>`. */
  readonly source: string;
  /** What the fact is about; `sequence` orders the events of one subject. */
  readonly subject: string;
  /** When the fact came about, RFC 3339 with the market's offset (+08:00). */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /** Identifier of the JSON schema of the whole sealed event. */
  readonly dataschema: string;
  readonly participant: string;
  /** 20 digits, zero-padded, so that it sorts as a string. */
  readonly sequence: string;
  /** W3C Trace Context of the poll that found the fact. */
  readonly traceparent: string;
  /** When the poller held the snapshot that shows the fact, RFC 3339 UTC with milliseconds. */
  readonly detectedat: string;
  readonly data: DataOf[T];
}

/** The event as it goes on the bus: addressed, dated and proved by the publisher. */
export interface SealedEvent<T extends EventType = EventType> extends DetectedEvent<T> {
  /** Fully qualified name of the channel it was meant for. */
  readonly channel: string;
  readonly topic: string;
  /** When the publisher sealed it, RFC 3339 UTC with milliseconds. */
  readonly signedat: string;
  /** Detached JWS (ES256K) over the RFC 8785 form of the event without `proof`. */
  readonly proof: string;
}

/** What a factory is told of the detection. */
export interface Detection {
  readonly detectedAt: Date;
  readonly traceparent: string;
}
