import { addressAuthorization } from '../connections/http-address.js';
import { NetworkNotAllowedError } from '../connections/ip-networks.js';
import { ServerConnections } from '../connections/server-connections.js';
import { type ClientConnection } from '../connections/client-connection.js';
import { readBeginning } from '../resilience/read-beginning.js';
import { parseRetryAfter } from '../resilience/retry-after.js';
import type { DeliveryOutcome } from './delivery-outcome.js';
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
      // The status decides the outcome. The body is read so that the connection can be used again.
      const text = await readBeginning(response, { limitBytes: this.options.responseLimitBytes });
      return toOutcome(response, text);
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
}

function toOutcome(
  { statusCode: status, headers }: Dispatcher.ResponseData,
  response: string | undefined,
): DeliveryOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered', status, response };
  // Redirects are not followed.
  const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now());
  return { kind: 'rejected', status, ...(retryAfterMs !== undefined && { retryAfterMs }), response };
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
