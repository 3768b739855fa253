import type { DeliveryOutcome } from '@ssb/webhook';
import type { PendingAlert } from '../storage/alert-outbox.js';

/** A receiver of alerts. It may receive an alert again, with the same event id. */
export interface AlertSink {
  readonly name: string;
  /**
   * Makes one attempt, within the sink's timeout. Never rejects because of the sink or the network.
   * @param signal aborts the attempt
   * @returns `delivered` once the sink has accepted the alert; any other outcome leads to another attempt
   */
  deliver(alert: PendingAlert, signal: AbortSignal): Promise<DeliveryOutcome>;
  /** Closes connections. */
  close(): Promise<void>;
}
