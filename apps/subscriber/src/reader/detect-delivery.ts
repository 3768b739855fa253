import { setTimeout as delay } from 'node:timers/promises';
import {
  GatewayError,
  GatewayResponseTooLargeError,
  InvalidGatewayResponseError,
  type GatewayClient,
} from '@ssb/bus';
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
