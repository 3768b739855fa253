import type { DeliveryOutcome } from '../domain/delivery-policy.js';
import type { PendingAlert } from '../storage/alert-outbox.js';

/**
 * A receiver of events.
 *
 * `deliver` makes one attempt. It resolves with `delivered` once the sink has accepted the alert, and with any other outcome when it may not
 * have: the alert is then offered again later, with the same event id, so a sink must bear repeats. It never rejects for anything that the
 * sink or the network did, it always ends within its time-out, and `signal` ends it early.
 */
export interface AlertSink {
  readonly name: string;
  deliver(alert: PendingAlert, signal: AbortSignal): Promise<DeliveryOutcome>;
  /** Closes connections. */
  close(): Promise<void>;
}
