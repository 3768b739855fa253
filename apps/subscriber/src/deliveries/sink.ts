import type { DeliveryOutcome } from '@ssb/net';
import type { PendingDelivery } from './outbox/pending-delivery.js';

/** What a sink receives of a delivery. */
export type SinkMessage = Pick<PendingDelivery, 'eventId' | 'text' | 'marks'>;

export type TraceHeaders = Readonly<Record<string, string>>;

/** A receiver of deliveries. It may receive an event again, with the same id. */
export interface Sink {
  readonly name: string;
  /**
   * Makes one attempt, within the sink's timeout. Never rejects because of the sink or the network.
   * @param signal aborts the attempt
   * @param trace request headers with the trace context; none without tracing
   * @returns `delivered` once the sink has accepted the event; any other outcome leads to another attempt
   */
  deliver(message: SinkMessage, signal: AbortSignal, trace?: TraceHeaders): Promise<DeliveryOutcome>;
  /** Closes connections. */
  close(): Promise<void>;
}
