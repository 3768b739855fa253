import type { DeliveryOutcome } from '@ssb/net';
import type { PendingAlert } from '../storage/pending-alert.js';

/** What a sink receives of an alert. */
export type SinkMessage = Pick<PendingAlert, 'eventId' | 'text' | 'marks'>;

export type TraceHeaders = Readonly<Record<string, string>>;

/** A receiver of alerts. It may receive an alert again, with the same event id. */
export interface AlertSink {
  readonly name: string;
  /**
   * Makes one attempt, within the sink's timeout. Never rejects because of the sink or the network.
   * @param signal aborts the attempt
   * @param trace request headers with the trace context; none without tracing
   * @returns `delivered` once the sink has accepted the alert; any other outcome leads to another attempt
   */
  deliver(alert: SinkMessage, signal: AbortSignal, trace?: TraceHeaders): Promise<DeliveryOutcome>;
  /** Closes connections. */
  close(): Promise<void>;
}
