import { isUtf8 } from 'node:buffer';
import {
  CLOSE_REFUSED,
  CLOSE_SUPERSEDED,
  CLOSE_TOO_SLOW,
  errorKind,
  frameText,
  serialiseMessage,
  serialiseMessages,
  type ErrorDetail,
  type FailedFrame,
  type GapFrame,
  type Message,
  type MissedMessages,
  type SentFrame,
} from '@ssb/bus';
import type { Logger, Metrics } from '@ssb/platform';
import type { RawData, WebSocket } from 'ws';
import type { Subscription, SubscriptionHandler } from '../broker/broker-subscription.js';
import { GatewayException, internalError, invalidRequest, requestFailed } from '../http/gateway-exception.js';
import type { MessageSender } from '../messages/message-sender.js';
import type { BudgetHolder, ByteBudget } from './byte-budget.js';
import { DeliveryTracker, type IdsByChannel } from './delivery-tracker.js';
import type { EventsOptions } from './events-query.js';
import { parseEventsRequest, type SendRequest } from './events-request.js';
import type { EventsSubscriptions } from './events-subscriptions.js';
import { SendQueue } from './send-queue.js';

type Counter = Pick<ReturnType<Metrics['counter']>, 'inc'>;

/** What the clients of the gateway share. */
export interface EventsContext {
  readonly sender: Pick<MessageSender, 'send'>;
  readonly subscriptions: Pick<EventsSubscriptions, 'subscribe'>;
  /** Bytes that wait for the clients' sockets, and bytes of the clients that wait for the broker. */
  readonly outgoing: ByteBudget;
  readonly incoming: ByteBudget;
  readonly delivered: Counter;
  readonly gaps: Counter;
  /** Most unacknowledged messages of a client whose query names no window. */
  readonly defaultWindow: number;
}

const CLOSE_TIMEOUT_MS = 1_000;

const SENDS_TOO_MUCH: ErrorDetail = {
  code: 'BUS::TOO_SLOW',
  reason: 'More is sent than the broker takes, and most of it by this client; what waits is not sent.',
};

/**
 * One WebSocket client. A message to it is acknowledged at the broker when the client acknowledges it (reliable) or the socket has taken
 * it (plain). Messages from it are sent one after the other.
 */
export class EventsClient implements SubscriptionHandler {
  private readonly deliveries: DeliveryTracker;
  private readonly sendQueue: SendQueue;
  private readonly subscription: Subscription;
  /** The client does not read: only terminating the connection frees the bytes that wait for it. */
  private readonly outgoingHolder: BudgetHolder = {
    evict: () => {
      this.log.warn({ reason: 'it does not read' }, 'events client evicted');
      this.socket.terminate();
    },
  };
  /** The client sends faster than the broker takes its messages. */
  private readonly incomingHolder: BudgetHolder = {
    evict: () => {
      this.log.warn({ reason: 'it sends more than the broker takes' }, 'events client evicted');
      this.end(SENDS_TOO_MUCH);
    },
  };

  constructor(
    private readonly socket: WebSocket,
    private readonly options: EventsOptions,
    private readonly context: EventsContext,
    private readonly log: Logger,
  ) {
    this.deliveries = new DeliveryTracker(options.window ?? context.defaultWindow, options.reliable);
    this.sendQueue = new SendQueue(socket, context.incoming, this.incomingHolder, (request) =>
      this.processSend(request),
    );
    socket.on('message', this.onFrame);
    // A frame is too large or malformed: ws closes the connection itself, with the reason.
    socket.on('error', (error) => log.info({ reason: error.message }, 'events client protocol error'));
    socket.once('close', () => this.subscription.end());
    this.subscription = context.subscriptions.subscribe(options, this);
  }

  onSubscribed(): void {
    this.deliveries.begin();
  }

  onMessages(messages: readonly Message[]): void {
    const { toSend, toAcknowledge } = this.deliveries.deliver(messages);
    this.acknowledgeToBroker(toAcknowledge);
    const [first] = toSend;
    if (first === undefined) return;
    this.context.delivered.inc(toSend.length);
    const text = toSend.length === 1 ? serialiseMessage(first) : serialiseMessages(toSend);
    this.sendText(text, (error) => {
      if (!error && !this.options.reliable) this.acknowledge(toSend.map(({ id }) => id));
    });
  }

  onGap(missed: MissedMessages): void {
    this.context.gaps.inc();
    this.log.warn(missed, 'messages were removed before delivery');
    // Clients that did not request gap frames may not know them.
    if (this.options.gaps) void this.reply({ gap: missed });
  }

  onRefused(err: ErrorDetail): void {
    this.log.warn({ code: err.code, reason: err.reason }, 'subscription refused');
    void this.reply({ err });
  }

  onClosed(err: ErrorDetail): void {
    this.end(err);
  }

  /** Reports the error to the client and closes. What it sent and still waits is not sent: it may have lost the right to. */
  end(err: ErrorDetail): void {
    this.stopReceiving();
    void this.reply({ err });
    const [code, reason] = CLOSE_CODES[errorKind(err.code) ?? ''] ?? [CLOSE_REFUSED, 'rights revoked'];
    this.socket.close(code, reason);
    // A client that does not read would never see the close frame.
    const timer = setTimeout(() => this.socket.terminate(), CLOSE_TIMEOUT_MS);
    this.socket.once('close', () => clearTimeout(timer));
  }

  /** Ends at shutdown: completes and answers the message in flight, refuses those that wait, then closes. */
  async close(): Promise<void> {
    if (this.socket.readyState === this.socket.CLOSED) return;
    const closed = new Promise((resolve) => this.socket.once('close', resolve));
    this.subscription.end();
    const waiting = this.stopReceiving();
    // An answer to a client that does not read would wait indefinitely.
    const unread = setInterval(() => {
      if (this.socket.bufferedAmount > 0) this.socket.terminate();
    }, CLOSE_TIMEOUT_MS);
    await this.finished();
    for (const request of waiting) {
      const stopping = requestFailed('The gateway is stopping.');
      await this.refuse(request, request.ok ? stopping : invalidRequest(request.reason));
    }
    clearInterval(unread);
    this.socket.close(1001, 'the gateway is stopping');
    const timer = setTimeout(() => this.socket.terminate(), CLOSE_TIMEOUT_MS);
    await closed;
    clearTimeout(timer);
  }

  /** Resolves when everything that the client sent is passed on or given up. */
  finished(): Promise<void> {
    return this.sendQueue.finished();
  }

  private readonly onFrame = (data: RawData, isBinary: boolean): void => {
    const text = decodeFrame(data, isBinary);
    const request = parseEventsRequest(text, this.options.reliable);
    if (request.kind === 'acknowledge') this.acknowledge(request.ids);
    else this.sendQueue.add(request.requests, Buffer.byteLength(text));
  };

  private acknowledge(ids: readonly string[]): void {
    this.acknowledgeToBroker(this.deliveries.acknowledge(ids));
  }

  private acknowledgeToBroker(idsByChannel: IdsByChannel): void {
    for (const [fqcn, ids] of idsByChannel) this.subscription.acknowledge(fqcn, ids);
  }

  /** Waits until the socket has taken the reply, so that a client which does not read sends no further. */
  private async processSend(request: SendRequest): Promise<void> {
    if (!request.ok) return this.refuse(request, invalidRequest(request.reason));
    const { transactionId } = request.message;
    try {
      const { id } = await this.context.sender.send(request.message);
      if (this.options.replies) await this.reply({ transactionId, id });
    } catch (error) {
      if (!(error instanceof GatewayException)) this.log.error({ err: error }, 'send request failed');
      await this.refuse(request, error instanceof GatewayException ? error : internalError());
    }
  }

  private refuse(request: SendRequest, exception: GatewayException): Promise<void> {
    const { transactionId } = request.ok ? request.message : request;
    return this.reply({ transactionId, err: exception.body().err });
  }

  private stopReceiving(): readonly SendRequest[] {
    this.socket.off('message', this.onFrame);
    return this.sendQueue.stop();
  }

  /** Resolves when the socket has taken the frame or is closed. */
  private reply(frame: FailedFrame | SentFrame | GapFrame): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.readyState !== this.socket.OPEN) return resolve();
      this.sendText(JSON.stringify(frame), (error) => {
        if (error) this.log.info({ reason: error.message }, 'reply to events client failed');
        resolve();
      });
    });
  }

  private sendText(text: string, onTaken: (error?: Error) => void): void {
    const releaseBytes = this.context.outgoing.reserve(this.outgoingHolder, Buffer.byteLength(text));
    this.socket.send(text, (error) => {
      releaseBytes();
      onTaken(error ?? undefined);
    });
  }
}

/** Decoding a binary frame that is not UTF-8 would change it; it becomes the empty text, which is not JSON. */
function decodeFrame(data: RawData, isBinary: boolean): string {
  return isBinary && Buffer.isBuffer(data) && !isUtf8(data) ? '' : frameText(data);
}

const CLOSE_CODES: Readonly<Partial<Record<string, readonly [code: number, reason: string]>>> = {
  SUPERSEDED: [CLOSE_SUPERSEDED, 'superseded'],
  TOO_SLOW: [CLOSE_TOO_SLOW, 'too slow'],
};
