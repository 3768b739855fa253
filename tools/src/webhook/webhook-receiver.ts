import { readBody } from '@ssb/net';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** A delivery with a valid signature. */
export interface Delivery {
  /** `webhook-id`, the same for all attempts of one event. */
  readonly id: string;
  /** The request body that the signature covers. */
  readonly body: string;
  /** W3C trace context of the first attempt; undefined without tracing. */
  readonly traceparent?: string | undefined;
  /** Epoch milliseconds of the first attempt. */
  readonly receivedAt: number;
  /** More than 1 when the sender retried because it received no response. */
  readonly attempts: number;
}

/** Several times the largest event of a bus. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Of a delivery besides its id and body. */
const OVERHEAD_BYTES = 512;

/**
 * Receives Standard Webhooks and verifies their signatures, each with one of the secrets. A known `webhook-id` only increases `attempts`.
 * It keeps the newest deliveries in memory and drops the oldest beyond `maxKeptBytes`.
 */
export class WebhookReceiver {
  /** The oldest first. */
  private readonly deliveriesById = new Map<string, Delivery>();
  private keptBytes = 0;
  private readonly listeners = new Set<(delivery: Delivery) => void>();
  private readonly server = createServer((request, response) => void this.handle(request, response));
  /** Of the kept deliveries. */
  maxKeptBytes = 64 * 1024 * 1024;
  /** How long each response takes, milliseconds. */
  responseDelayMs = 0;

  private readonly verifiers: readonly Webhook[];

  constructor(...secrets: readonly string[]) {
    this.verifiers = secrets.map((secret) => new Webhook(secret));
  }

  /** @returns the URL to post to */
  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  get deliveries(): readonly Delivery[] {
    return [...this.deliveriesById.values()];
  }

  has(id: string): boolean {
    return this.deliveriesById.has(id);
  }

  onDelivery(listener: (delivery: Delivery) => void): void {
    this.listeners.add(listener);
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receivedAt = Date.now();
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
      response.writeHead(413).end();
      return;
    }
    let body: Buffer;
    try {
      body = await readBody(request, MAX_BODY_BYTES);
    } catch {
      // The sender broke the connection, or its body was too large, which ends the connection.
      return;
    }
    response.statusCode = this.accept(request, body.toString('utf8'), receivedAt);
    if (this.responseDelayMs > 0) await delay(this.responseDelayMs);
    response.end();
  }

  private accept(request: IncomingMessage, body: string, receivedAt: number): number {
    const header = (name: string): string => String(request.headers[name] ?? '');
    const id = header('webhook-id');
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': header('webhook-timestamp'),
      'webhook-signature': header('webhook-signature'),
    };
    if (!this.verifiers.some((verifier) => isSigned(verifier, body, headers))) return 401;
    const existing = this.deliveriesById.get(id);
    const delivery = existing
      ? { ...existing, attempts: existing.attempts + 1 }
      : {
          id,
          body,
          traceparent: request.headers['traceparent'] as string | undefined,
          receivedAt,
          attempts: 1,
        };
    this.deliveriesById.set(id, delivery);
    if (existing) return 204;
    this.keptBytes += sizeOf(delivery);
    for (const listener of this.listeners) listener(delivery);
    this.dropOldest();
    return 204;
  }

  private dropOldest(): void {
    for (const [id, delivery] of this.deliveriesById) {
      if (this.keptBytes <= this.maxKeptBytes) return;
      this.deliveriesById.delete(id);
      this.keptBytes -= sizeOf(delivery);
    }
  }
}

function sizeOf({ id, body }: Delivery): number {
  return Buffer.byteLength(body) + id.length + OVERHEAD_BYTES;
}

function isSigned(verifier: Webhook, body: string, headers: Readonly<Record<string, string>>): boolean {
  try {
    verifier.verify(body, { ...headers });
    return true;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return false;
  }
}
