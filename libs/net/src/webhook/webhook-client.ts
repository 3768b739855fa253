import { addressAuthorization } from '../connections/http-address.js';
import { NetworkNotAllowedError } from '../connections/ip-networks.js';
import { ServerConnections } from '../connections/server-connections.js';
import { type ClientConnection } from '../connections/client-connection.js';
import { parseRetryAfter } from '../resilience/retry-after.js';
import { Webhook } from 'standardwebhooks';
import { errors, type Dispatcher } from 'undici';

export interface WebhookClientOptions {
  readonly url: string;
  /** `whsec_` and the key in base64 (Standard Webhooks, "Signature scheme"). */
  readonly secret: string;
  /** Time for the whole attempt, from connecting to the end of the response. */
  readonly timeoutMs: number;
  /** A longer response is truncated. */
  readonly responseLimitBytes: number;
  readonly connections: number;
  /** Certificates, proxy and allowed networks. */
  readonly connection?: ClientConnection | undefined;
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

/** The result of one attempt to deliver a message to a webhook. */
export type DeliveryOutcome =
  | { readonly kind: 'delivered'; readonly status?: number }
  /** A response other than 2xx. Redirects are not followed, so 3xx counts too. */
  | { readonly kind: 'rejected'; readonly status: number; readonly retryAfterMs?: number }
  /** No complete response: connection refused, name not found, aborted. */
  | { readonly kind: 'unreachable'; readonly detail: string }
  | { readonly kind: 'timeout' }
  /** No connection was opened: the address of the webhook is not in WEBHOOK_ALLOWED_NETWORKS. */
  | { readonly kind: 'network-not-allowed' };

/** Posts CloudEvents to one webhook, signed according to Standard Webhooks. */
export class WebhookClient {
  private readonly webhookSigner: Webhook;
  private readonly connections: ServerConnections;
  private readonly path: string;
  private readonly authorization: ReturnType<typeof addressAuthorization>;

  constructor(private readonly options: WebhookClientOptions) {
    const url = new URL(options.url);
    this.webhookSigner = new Webhook(options.secret);
    this.path = url.pathname + url.search;
    this.authorization = addressAuthorization(url);
    this.connections = new ServerConnections(url, options.connection ?? {}, options);
  }

  /**
   * Makes one attempt, within the timeout. Never rejects because of the receiver or the network.
   * @param signal aborts the attempt
   */
  async post(message: WebhookMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    const timeout = AbortSignal.timeout(this.options.timeoutMs);
    try {
      const response = await this.connections.request({
        method: 'POST',
        path: this.path,
        headers: this.headers(message, new Date()),
        body: message.text,
        signal: AbortSignal.any([timeout, signal]),
      });
      await this.releaseConnection(response);
      return toOutcome(response);
    } catch (error) {
      if (signal.aborted) return { kind: 'unreachable', detail: 'aborted' };
      if (timeout.aborted || isTimeout(error)) return { kind: 'timeout' };
      if (error instanceof NetworkNotAllowedError) return { kind: 'network-not-allowed' };
      return { kind: 'unreachable', detail: describeError(error) };
    }
  }

  close(): Promise<void> {
    return this.connections.destroy();
  }

  private headers({ id, text, headers }: WebhookMessage, now: Date): Record<string, string> {
    return {
      ...headers,
      ...this.authorization,
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'user-agent': 'settlement-bus-bridge',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': this.webhookSigner.sign(id, now, text),
    };
  }

  /** Reads the body, up to the limit, so that the connection can be used again. The status has already decided the outcome. */
  private async releaseConnection({ body }: Dispatcher.ResponseData): Promise<void> {
    try {
      await body.dump({ limit: this.options.responseLimitBytes });
    } catch {
      // The client replaces the connection of an incomplete body.
    }
  }
}

function toOutcome({ statusCode: status, headers }: Dispatcher.ResponseData): DeliveryOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  // Redirects are not followed.
  return { kind: 'rejected', status, retryAfterMs: parseRetryAfter(headers['retry-after'], Date.now()) };
}

function isTimeout(error: unknown): boolean {
  return (
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError
  );
}

/** The error's code or name. Its message may quote the URL, which may contain a secret. */
function describeError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown failure';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && typeof error.name === 'string' ? error.name : 'unknown failure';
}
