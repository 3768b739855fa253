import type { DeliveryOutcome } from '../domain/delivery-policy.js';
import type { PendingAlert } from '../storage/alert-outbox.js';

/**
 * A receiver of events. It may get an event again, with the same event id.
 */
export interface AlertSink {
  readonly name: string;
  /**
   * Makes one attempt, within the sink's time-out.
   * @param signal ends the attempt early
   * @returns `delivered` once the sink has accepted the alert; any other outcome leads to another attempt. Never rejects for what the sink
   * or the network did.
   */
  deliver(alert: PendingAlert, signal: AbortSignal): Promise<DeliveryOutcome>;
  /** Closes connections. */
  close(): Promise<void>;
}
