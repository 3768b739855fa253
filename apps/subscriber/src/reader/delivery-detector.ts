import type { GatewayClient } from '@ssb/bus';
import { backoffDelayMs, retry, type Backoff } from '@ssb/net';
import type { Logger } from '@ssb/platform';
import { describeError } from '../domain/describe-error.js';
import type { Settings } from '../settings.js';
import { detectDelivery, type GatewayDelivery } from './detect-delivery.js';

export interface DeliveryDetectorOptions {
  readonly client: GatewayClient;
  readonly settings: Pick<Settings, 'GATEWAY_DELIVERY'>;
  /** Aborted when this replica stops reading. */
  readonly stopping: AbortSignal;
  readonly log: Logger;
}

const BACKOFF: Backoff = { baseMs: 500, maxMs: 10_000 };
/** Statuses with which a gateway without acknowledgement refuses the WebSocket upgrade, whose address has a query. */
const NO_ACKNOWLEDGEMENT_STATUSES: readonly number[] = [400, 404];

/** Finds out how the gateway delivers messages. Retries until the gateway responds. */
export class DeliveryDetector {
  /** Why the delivery is unknown. */
  failure = 'its documents were not read yet';

  constructor(private readonly options: DeliveryDetectorOptions) {}

  /** @throws the last failure once this replica stops reading */
  detect(): Promise<GatewayDelivery> {
    const { client, settings, stopping, log } = this.options;
    return retry(() => detectDelivery(client, settings.GATEWAY_DELIVERY), {
      signal: stopping,
      delayMs: (error, failures) => {
        const waitMs = backoffDelayMs(failures, BACKOFF, Math.random());
        this.failure = describeError(error);
        log.warn({ err: error, attempt: failures, waitMs }, 'gateway delivery unknown');
        return waitMs;
      },
    });
  }

  /**
   * Called when the gateway refuses a connection with acknowledgement. A failed detection is repeated with the next refusal.
   * @returns undefined when the refusal has another cause, or the delivery is unknown
   */
  async detectAfterRefusal(status: number): Promise<GatewayDelivery | undefined> {
    const { client, settings, stopping, log } = this.options;
    if (settings.GATEWAY_DELIVERY !== undefined || !NO_ACKNOWLEDGEMENT_STATUSES.includes(status))
      return undefined;
    try {
      // A proxy may respond 404 while the gateway is away.
      await client.health();
      return await detectDelivery(client, undefined);
    } catch (error) {
      if (!stopping.aborted) log.warn({ err: error, status }, 'gateway delivery unknown');
      return undefined;
    }
  }
}
