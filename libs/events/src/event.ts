import type { EventEnvelope } from './envelope/envelope.js';
import type { EventType } from './envelope/event-type.js';
import type { BridgeAlertClearedData, BridgeAlertRaisedData } from './types/bridge-alert.js';
import type { HeartbeatData } from './types/heartbeat.js';
import type { InvoiceIssuedData } from './types/invoice-issued.js';
import type { MarginData } from './types/margin.js';
import type { StatementPublishedData } from './types/statement-published.js';

/** The `data` of each event type. */
export interface EventDataByType {
  readonly 'settlementbus.statement.published.v1': StatementPublishedData;
  readonly 'settlementbus.invoice.issued.v1': InvoiceIssuedData;
  readonly 'settlementbus.margin.warning.v1': MarginData;
  readonly 'settlementbus.margin.breached.v1': MarginData;
  readonly 'settlementbus.margin.restored.v1': MarginData;
  readonly 'settlementbus.bridge.alert.raised.v1': BridgeAlertRaisedData;
  readonly 'settlementbus.bridge.alert.cleared.v1': BridgeAlertClearedData;
  readonly 'settlementbus.bridge.heartbeat.v1': HeartbeatData;
}

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
