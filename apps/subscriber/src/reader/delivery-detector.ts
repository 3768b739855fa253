import { setTimeout as delay } from 'node:timers/promises';
import {
  GatewayError,
  GatewayResponseTooLargeError,
  InvalidGatewayResponseError,
  type GatewayClient,
} from '@ssb/bus';
import { backoffDelayMs, retry, type Backoff } from '@ssb/net';
import type { Logger } from '@ssb/platform';
import { describeError } from '../domain/describe-error.js';
import { declaresAcknowledgement } from './domain/gateway-documents.js';

export const DELIVERY_MODES = ['acknowledged', 'plain'] as const;
export type DeliveryMode = (typeof DELIVERY_MODES)[number];

/** What the subscriber can use of a gateway. */
export interface GatewayDelivery {
  readonly mode: DeliveryMode;
  /** Text for the log. */
  readonly reason: string;
}

export interface DeliveryDetectorOptions {
  readonly client: GatewayClient;
  readonly settings: { readonly GATEWAY_DELIVERY?: DeliveryMode | undefined };
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

type Documents = Pick<GatewayClient, 'document'>;

/**
 * Finds out how the gateway delivers messages, from its own documents.
 * @param configured GATEWAY_DELIVERY
 * @throws the error of a request without a clear response, which a repeat may give
 */
export async function detectDelivery(
  client: Documents,
  configured: DeliveryMode | undefined,
  repeatMs = REPEAT_MS,
): Promise<GatewayDelivery> {
  if (configured !== undefined) return { mode: configured, reason: 'GATEWAY_DELIVERY' };
  const { text, refusal } = await readDocument(client, repeatMs);
  if (refusal !== undefined) return { mode: 'plain', reason: `no ws.yaml: ${refusal}` };
  return declaresAcknowledgement(text)
    ? { mode: 'acknowledged', reason: 'ws.yaml declares ack=explicit' }
    : { mode: 'plain', reason: 'ws.yaml does not declare ack=explicit' };
}

/** A refusal without the error of a gateway counts only if every attempt has one. */
async function readDocument(
  client: Documents,
  repeatMs: number,
): Promise<{ readonly text: string; readonly refusal?: string }> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { text: await client.document('ws.yaml') };
    } catch (error) {
      const isDoubted = isUnclear(error);
      if (!isDoubted && !isClear(error)) throw error;
      if (!isDoubted || attempt >= MAX_ATTEMPTS) return { text: '', refusal: describeError(error) };
      await delay(repeatMs);
    }
  }
}

/** An error page of a proxy can be gone soon. */
const MAX_ATTEMPTS = 4;
const REPEAT_MS = 1_000;
/** Statuses that another attempt, or another password, can change. */
const UNCLEAR_STATUSES: readonly number[] = [401, 408, 425, 429];

const isRefusal = (status: number): boolean => status < 500 && !UNCLEAR_STATUSES.includes(status);

/** The gateway itself refuses the document, or has one that cannot be read. */
function isClear(error: unknown): boolean {
  if (error instanceof GatewayResponseTooLargeError) return isRefusal(error.status);
  return error instanceof GatewayError && isRefusal(error.status);
}

/** A refusal without the error of a gateway. */
function isUnclear(error: unknown): boolean {
  if (!(error instanceof InvalidGatewayResponseError) || isClear(error)) return false;
  return isRefusal(error.status);
}
