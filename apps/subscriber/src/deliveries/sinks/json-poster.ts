import type { DeliveryOutcome } from '@ssb/net';

/** Posts JSON to one address. */
export interface JsonPoster {
  /** Makes one attempt. Never rejects because of the receiver or the network. */
  post(payload: object, signal: AbortSignal): Promise<DeliveryOutcome>;
  close(): Promise<void>;
}
