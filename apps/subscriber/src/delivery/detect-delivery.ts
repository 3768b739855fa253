import { setTimeout as delay } from 'node:timers/promises';
import {
  GatewayError,
  GatewayResponseTooLargeError,
  InvalidGatewayResponseError,
  type GatewayClient,
} from '@ssb/bus';
import { describeError } from '../describe-error.js';
import { declaresAcknowledgement, declaresClientId } from './domain/gateway-documents.js';

export const DELIVERY_MODES = ['acknowledged', 'plain'] as const;
export type DeliveryMode = (typeof DELIVERY_MODES)[number];

/** What the subscriber can use of a gateway. */
export interface GatewayDelivery {
  readonly mode: DeliveryMode;
  /** For a log. */
  readonly reason: string;
  /** Whether a read of messages may name a client. Only known for plain delivery. */
  readonly clientIdDeclared: boolean;
}

type Documents = Pick<GatewayClient, 'document'>;

/**
 * Finds out how the gateway delivers messages, from its own documents.
 * @param configured GATEWAY_DELIVERY
 * @throws the error of a request without a clear answer, which a repeat may give
 */
export async function detectDelivery(
  client: Documents,
  configured: DeliveryMode | undefined,
  repeatMs = REPEAT_MS,
): Promise<GatewayDelivery> {
  const { mode, reason, hasDocuments } =
    configured === undefined
      ? await detectMode(client, repeatMs)
      : { mode: configured, reason: 'GATEWAY_DELIVERY', hasDocuments: true };
  if (mode === 'acknowledged') return { mode, reason, clientIdDeclared: false };
  const isDoubted = configured === undefined ? isUnclear : isUnclearOrBroken;
  const attempts = hasDocuments ? MAX_ATTEMPTS : 1;
  const restYaml = await readDocument(client, 'rest.yaml', { attempts, repeatMs, isDoubted });
  return { mode, reason, clientIdDeclared: declaresClientId(restYaml.text) };
}

async function detectMode(
  client: Documents,
  repeatMs: number,
): Promise<Pick<GatewayDelivery, 'mode' | 'reason'> & { hasDocuments: boolean }> {
  const options = { attempts: MAX_ATTEMPTS, repeatMs, isDoubted: isUnclear };
  const { text, refusal } = await readDocument(client, 'ws.yaml', options);
  if (refusal !== undefined) return { mode: 'plain', reason: `no ws.yaml: ${refusal}`, hasDocuments: false };
  return declaresAcknowledgement(text)
    ? { mode: 'acknowledged', reason: 'ws.yaml declares ack=explicit', hasDocuments: true }
    : { mode: 'plain', reason: 'ws.yaml does not declare ack=explicit', hasDocuments: true };
}

interface ReadOptions {
  readonly attempts: number;
  readonly repeatMs: number;
  /** Whether an error counts only if every attempt has one. */
  readonly isDoubted: (error: unknown) => boolean;
}

async function readDocument(
  client: Documents,
  name: 'rest.yaml' | 'ws.yaml',
  { attempts, repeatMs, isDoubted }: ReadOptions,
): Promise<{ text: string; refusal?: string }> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { text: await client.document(name) };
    } catch (error) {
      const doubted = isDoubted(error);
      if (!doubted && !isClear(error)) throw error;
      if (!doubted || attempt >= attempts) return { text: '', refusal: describeError(error) };
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

/** With GATEWAY_DELIVERY=plain, a broken document prevents nothing. */
function isUnclearOrBroken(error: unknown): boolean {
  const isAnswer = error instanceof GatewayError || error instanceof InvalidGatewayResponseError;
  return isAnswer && (error.status >= 500 || isUnclear(error));
}
