import type { ErrorDetail, MissedMessages, StreamRequest, SubscribeRequest } from '@ssb/bus';
import { backoffDelayMs } from '@ssb/net';
import type { DeliveredMessage } from './to-message.js';

export interface SubscriptionOptions {
  /** Owner of the stored offset in each channel. */
  readonly clientId: string;
  /** Where a client id that is not known begins. Undefined: with the oldest message, which is not kept. */
  readonly from?: SubscribeRequest['from'];
  /** Undefined: every channel that the identity may read, also those created later. */
  readonly fqcn: readonly string[] | undefined;
  /** Maximum number of unacknowledged messages. */
  readonly window: number;
}

/** Receives the frames of a subscription. No method may throw. */
export interface SubscriptionHandler {
  /** Delivery starts or restarts. Unacknowledged messages follow again. */
  onSubscribed(): void;
  onMessages(messages: readonly DeliveredMessage[]): void;
  /** Messages were removed before they were delivered. The next messages are those that follow them. */
  onGap(missed: MissedMessages): void;
  /** The broker refuses the subscription, or one of its channels, for now. The same refusal is not repeated. */
  onRefused(err: ErrorDetail): void;
  /** The broker ended the subscription: a newer one replaced it, or the rights were revoked. */
  onClosed(err: ErrorDetail): void;
}

export interface SubscriptionHandle {
  acknowledge(fqcn: string, ids: readonly string[]): void;
  end(): void;
}

const FIRST_RETRY_DELAY_MS = 200;

/** One subscription on the broker's stream. It is requested on each new connection and after each refusal. */
export class BrokerSubscription implements SubscriptionHandle {
  /** Whether the broker has accepted it on this connection. */
  private active = false;
  /** Whether the broker has not yet responded to the request on this connection. */
  private requested = false;
  private ended = false;
  private consecutiveRefusals = 0;
  private lastRefusal: string | undefined;
  private retry: NodeJS.Timeout | undefined;

  constructor(
    /** Unique on the stream. */
    private readonly name: string,
    private readonly options: SubscriptionOptions,
    readonly handler: SubscriptionHandler,
    private readonly maxRetryDelayMs: number,
    /** Sends a request on the stream. @returns false without a connection: the request is dropped */
    private readonly send: (request: StreamRequest) => boolean,
    /** Called once, when the subscription ends. */
    private readonly onEnd: () => void,
  ) {}

  /** Does nothing while the subscription is active or its request is open: a second one would deliver every message again. */
  request(): void {
    if (this.active || this.requested || this.ended) return;
    clearTimeout(this.retry);
    const { clientId, from, fqcn, window } = this.options;
    this.requested = this.send({
      type: 'subscribe',
      subscription: this.name,
      clientId,
      ...(from !== undefined && { from }),
      ...(fqcn && { fqcn: [...fqcn] }),
      window,
      gaps: true,
    });
  }

  acknowledge(fqcn: string, ids: readonly string[]): void {
    if (this.ended) return;
    this.send({ type: 'ack', subscription: this.name, fqcn, ids: [...ids] });
  }

  end(): void {
    if (this.ended) return;
    this.stop();
    this.onEnd();
    this.send({ type: 'unsubscribe', subscription: this.name });
  }

  /** Ends the subscription without a request to the broker. */
  stop(): void {
    this.ended = true;
    clearTimeout(this.retry);
  }

  /** The connection is lost. The next one requests the subscription. */
  suspend(): void {
    clearTimeout(this.retry);
    this.active = false;
    this.requested = false;
  }

  onSubscribed(): void {
    this.consecutiveRefusals = 0;
    this.lastRefusal = undefined;
    // The broker repeats the frame when channels are added or removed. Only the first one on a connection begins the delivery.
    if (!this.active) this.handler.onSubscribed();
    this.active = true;
    this.requested = false;
  }

  onRefused(err: ErrorDetail): void {
    // One channel or one request was refused. The active subscription continues.
    if (this.active) return this.handler.onRefused(err);
    clearTimeout(this.retry);
    this.requested = false;
    this.consecutiveRefusals += 1;
    const backoff = { baseMs: FIRST_RETRY_DELAY_MS, maxMs: this.maxRetryDelayMs };
    this.retry = setTimeout(
      () => this.request(),
      backoffDelayMs(this.consecutiveRefusals, backoff, Math.random()),
    );
    // The reason names the channel or role that is refused.
    const refusal = `${err.code} ${err.reason}`;
    if (this.lastRefusal === refusal) return;
    this.lastRefusal = refusal;
    this.handler.onRefused(err);
  }

  onClosed(err: ErrorDetail): void {
    this.stop();
    this.onEnd();
    this.handler.onClosed(err);
  }
}
