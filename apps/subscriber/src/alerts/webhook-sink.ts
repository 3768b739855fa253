import { readRetryAfter } from '@ssb/resilience';
import { Webhook } from 'standardwebhooks';
import { errors, Pool, type Dispatcher } from 'undici';
import type { DeliveryOutcome } from '../domain/delivery-policy.js';
import type { PendingAlert } from '../storage/alert-outbox.js';
import type { AlertSink } from './alert-sink.js';

export interface WebhookOptions {
  readonly name: string;
  readonly url: string;
  /** `whsec_` and the key in base64 (Standard Webhooks, "Signature scheme"). */
  readonly secret: string;
  /** For the whole attempt, connecting and the answer's body included. */
  readonly timeoutMs: number;
  /** A longer answer is cut off. */
  readonly responseLimitBytes: number;
  readonly connections: number;
}

/**
 * Posts the archived CloudEvent, to the byte, signed as the Standard Webhooks specification says. `webhook-id` is the event's id
 * in every attempt, so that a receiver can drop a repeat. Redirects are not followed: a signed alert goes where the operator
 * said and nowhere else.
 */
export class WebhookSink implements AlertSink {
  readonly name: string;
  private readonly signer: Webhook;
  private readonly pool: Pool;
  private readonly path: string;

  constructor(private readonly options: WebhookOptions) {
    const url = new URL(options.url);
    this.name = options.name;
    this.signer = new Webhook(options.secret);
    this.path = url.pathname + url.search;
    this.pool = new Pool(url.origin, {
      connections: options.connections,
      connectTimeout: options.timeoutMs,
      headersTimeout: options.timeoutMs,
      bodyTimeout: options.timeoutMs,
    });
  }

  async deliver(alert: PendingAlert, signal: AbortSignal): Promise<DeliveryOutcome> {
    const timeout = AbortSignal.timeout(this.options.timeoutMs);
    try {
      const response = await this.pool.request({
        method: 'POST',
        path: this.path,
        headers: this.headers(alert, new Date()),
        body: alert.text,
        signal: AbortSignal.any([timeout, signal]),
      });
      await this.freeConnection(response);
      return outcomeOf(response);
    } catch (error) {
      if (signal.aborted) return { kind: 'unreachable', detail: 'broken off' };
      if (timeout.aborted || isTimeout(error)) return { kind: 'timeout' };
      return { kind: 'unreachable', detail: nameOf(error) };
    }
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }

  private headers({ eventId, text }: PendingAlert, now: Date): Record<string, string> {
    return {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'user-agent': 'settlement-bus-bridge',
      'webhook-id': eventId,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': this.signer.sign(eventId, now, text),
    };
  }

  /** The status has decided; the body is read, within the bound, only so that the connection can serve again. */
  private async freeConnection({ body }: Dispatcher.ResponseData): Promise<void> {
    try {
      await body.dump({ limit: this.options.responseLimitBytes });
    } catch {
      // A body that breaks off costs the connection, which the pool replaces; the sink has answered all the same.
    }
  }
}

function outcomeOf({ statusCode: status, headers }: Dispatcher.ResponseData): DeliveryOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  return { kind: 'answered', status, retryAfterMs: readRetryAfter(headers['retry-after'], Date.now()) };
}

function isTimeout(error: unknown): boolean {
  return (
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError
  );
}

/** The error's code or name: its message may quote the address, and an operator's address may hold a secret. */
function nameOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown failure';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && typeof error.name === 'string' ? error.name : 'unknown failure';
}
