import { Webhook } from 'standardwebhooks';
import type { DeliveryOutcome } from './delivery-outcome.js';
import { HttpReceiver, type HttpReceiverOptions } from './http-receiver.js';

export interface WebhookClientOptions extends HttpReceiverOptions {
  /**
   * Each is `whsec_` and a key in base64 (Standard Webhooks, "Signature scheme"). Read for each message. With several, the receiver can replace
   * its secret at any time.
   */
  readonly secrets: () => readonly string[];
}

/** A CloudEvent as it is posted. */
export interface WebhookMessage {
  /** Sent as `webhook-id`; the same for every attempt, so receivers can drop repeats. */
  readonly id: string;
  /** Signed and posted byte for byte. */
  readonly text: string;
  /** Additional request headers, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Posts CloudEvents to one webhook, signed according to Standard Webhooks. */
export class WebhookClient {
  private readonly receiver: HttpReceiver;
  private signers = new Map<string, Webhook>();

  constructor(private readonly options: WebhookClientOptions) {
    this.receiver = new HttpReceiver({
      ...options,
      headers: () => {
        const { headers, secrets } = options.headers?.() ?? { headers: {}, secrets: [] };
        return { headers, secrets: [...secrets, ...options.secrets()] };
      },
    });
  }

  /** As `HttpReceiver.post`. */
  async post({ id, text, headers }: WebhookMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    const now = new Date();
    const signatures = this.currentSigners().map((signer) => signer.sign(id, now, text));
    const request = {
      body: text,
      headers: {
        ...headers,
        'content-type': 'application/cloudevents+json; charset=utf-8',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': signatures.join(' '),
      },
    };
    return this.receiver.post(request, signal);
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  /** Keeps the decoded keys of the current secrets. */
  private currentSigners(): Webhook[] {
    const signers = this.options
      .secrets()
      .map((secret) => [secret, this.signers.get(secret) ?? new Webhook(secret)] as const);
    this.signers = new Map(signers);
    return signers.map(([, signer]) => signer);
  }
}
