import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** One delivery that reached the sink with a good signature. */
export interface Delivery {
  /** `webhook-id`: the same for each attempt of an event. */
  readonly id: string;
  /** The exact bytes that were signed. */
  readonly body: string;
  /** Epoch milliseconds of the first attempt. */
  readonly receivedAt: number;
  /** How often it came: more than 1 only when an answer was lost. */
  readonly attempts: number;
}

/**
 * A receiver of Standard Webhooks, as an integrator would write one: it checks the signature, drops repeats by `webhook-id`, and
 * answers 204.
 */
export class WebhookSink {
  private readonly received = new Map<string, Delivery>();
  private readonly listeners = new Set<(delivery: Delivery) => void>();
  private readonly server = createServer((request, response) => void this.answer(request, response));
  /** Requests whose signature was wrong. */
  refused = 0;

  constructor(private readonly secret: string) {}

  /** @returns its address */
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
    return [...this.received.values()];
  }

  has(id: string): boolean {
    return this.received.has(id);
  }

  onDelivery(listener: (delivery: Delivery) => void): void {
    this.listeners.add(listener);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receivedAt = Date.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    response.statusCode = this.accept(request, body, receivedAt);
    response.end();
  }

  private accept(request: IncomingMessage, body: string, receivedAt: number): number {
    const header = (name: string): string => String(request.headers[name] ?? '');
    const id = header('webhook-id');
    try {
      new Webhook(this.secret).verify(body, {
        'webhook-id': id,
        'webhook-timestamp': header('webhook-timestamp'),
        'webhook-signature': header('webhook-signature'),
      });
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      this.refused += 1;
      return 401;
    }
    const known = this.received.get(id);
    const delivery = known
      ? { ...known, attempts: known.attempts + 1 }
      : { id, body, receivedAt, attempts: 1 };
    this.received.set(id, delivery);
    if (!known) for (const listener of this.listeners) listener(delivery);
    return 204;
  }
}
