import type { EventId } from './event-id.js';
import type { EventType } from './event-type.js';

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
