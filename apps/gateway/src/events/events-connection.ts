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
  type MissedMessages,
} from '@ssb/bus';
import { type Logger, type Metrics, startSpan, type TraceSpan } from '@ssb/platform';
import type { RawData, WebSocket } from 'ws';
import type { SubscriptionHandle, SubscriptionHandler } from '../broker/broker-subscription.js';
import type { DeliveredMessage } from '../broker/to-message.js';
import type { MessageSender } from '../messages/message-sender.js';
import type { Settings } from '../settings.js';
import type { ByteBudget } from './byte-budget.js';
import { ClientDeliveries, type IdsByChannel } from './client-deliveries.js';
import { ClientMessageQueue, type ClientReply } from './client-message-queue.js';
import type { EventsOptions } from './events-query.js';
import { parseEventsRequest, type SendRequest } from './events-request.js';
import type { EventsSubscriptions } from './events-subscriptions.js';
import { FrameWriter } from './frame-writer.js';

type Counter = Pick<ReturnType<Metrics['counter']>, 'inc'>;

/** Shared by all connections of the gateway. */
export interface EventsContext {
  readonly sender: Pick<MessageSender, 'send'>;
  readonly subscriptions: Pick<EventsSubscriptions, 'subscribe'>;
  /** Bytes that wait for the clients' sockets. */
  readonly outgoing: ByteBudget;
  /** Bytes of client messages that wait for the broker. */
  readonly incoming: ByteBudget;
  readonly delivered: Counter;
  readonly gaps: Counter;
  readonly frames: Settings['EVENTS_FRAMES'];
  /** Maximum number of unacknowledged messages of a client whose query has no `window`. */
  readonly defaultWindow: number;
}

const CLOSE_TIMEOUT_MS = 1_000;

/** One WebSocket client. Its messages are acknowledged by the client (`explicitAck`), or when the socket has accepted them. */
export class EventsConnection implements SubscriptionHandler {
  private readonly deliveries: ClientDeliveries;
  /** Messages from the client, which wait for the broker. */
  private readonly messageQueue: ClientMessageQueue;
  private readonly subscription: SubscriptionHandle;
  private readonly writer: FrameWriter;

  constructor(
    readonly socket: WebSocket,
    private readonly options: EventsOptions,
    private readonly context: EventsContext,
    private readonly log: Logger,
  ) {
    this.deliveries = new ClientDeliveries(options.window ?? context.defaultWindow, options.explicitAck);
    this.writer = new FrameWriter(socket, context.outgoing, log);
    this.messageQueue = new ClientMessageQueue(this, options, context, log);
    socket.on('message', this.onFrame);
    // After a malformed or too large frame, ws closes the connection with the reason.
    socket.on('error', (error) => log.info({ reason: error.message }, 'events client protocol error'));
    socket.once('close', () => this.subscription.end());
    this.subscription = context.subscriptions.subscribe(options, this);
  }

  onSubscribed(): void {
    this.deliveries.begin();
  }

  onMessages(messages: readonly DeliveredMessage[]): void {
    const { toSend, toAcknowledge } = this.deliveries.track(messages);
    // The client acknowledged these before, but the broker did not receive the acknowledgement.
    this.acknowledgeToBroker(toAcknowledge);
    if (toSend.length === 0) return;
    this.context.delivered.inc(toSend.length);
    const spans = toSend.flatMap(startDelivery);
    const sent = toSend.map(withoutContext);
    const frames = this.context.frames === 'array' ? [serialiseMessages(sent)] : sent.map(serialiseMessage);
    this.writer.writeAll(frames, () => {
      for (const span of spans) span.succeed('delivered');
      if (!this.options.explicitAck) this.acknowledge(toSend.map(({ id }) => id));
    });
  }

  onGap(missed: MissedMessages): void {
    this.context.gaps.inc();
    const { fqcn: channel, after, upTo } = missed;
    this.log.warn({ channel, after, upTo }, 'retention gap');
    // A client that did not request gap frames may not expect them.
    if (this.options.gaps) void this.reply({ gap: missed });
  }

  onRefused(err: ErrorDetail): void {
    this.log.warn({ code: err.code, reason: err.reason }, 'subscription refused');
    void this.reply({ err });
  }

  onClosed(err: ErrorDetail): void {
    this.end(err);
  }

  /** Reports the error to the client and closes. Its waiting messages are dropped, because it may have lost the right to send. */
  end(err: ErrorDetail): void {
    this.stopReceiving();
    void this.reply({ err });
    const [code, reason] = CLOSE_CODES[errorKind(err.code) ?? ''] ?? [CLOSE_REFUSED, 'rights revoked'];
    this.socket.close(code, reason);
    // A client that does not read never receives the close frame.
    const timer = setTimeout(() => this.socket.terminate(), CLOSE_TIMEOUT_MS);
    this.socket.once('close', () => clearTimeout(timer));
  }

  /** At shutdown: completes the message in flight, refuses the waiting ones, then closes. */
  async close(): Promise<void> {
    if (this.socket.readyState === this.socket.CLOSED) return;
    const closed = new Promise((resolve) => this.socket.once('close', resolve));
    this.subscription.end();
    const waiting = this.stopReceiving();
    // A reply to a client that does not read would wait indefinitely.
    const unread = setInterval(() => {
      if (this.socket.bufferedAmount > 0) this.socket.terminate();
    }, CLOSE_TIMEOUT_MS);
    await this.finished();
    await this.messageQueue.refuseAtShutdown(waiting);
    clearInterval(unread);
    this.socket.close(1001, 'the gateway is stopping');
    const timer = setTimeout(() => this.socket.terminate(), CLOSE_TIMEOUT_MS);
    await closed;
    clearTimeout(timer);
  }

  /** Resolves when every message of the client is sent or dropped. */
  finished(): Promise<void> {
    return this.messageQueue.finished();
  }

  /** Resolves when the socket has accepted the frame or is closed. */
  reply(frame: ClientReply): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.readyState !== this.socket.OPEN) return resolve();
      this.writer.write(JSON.stringify(frame), (error) => {
        if (error) this.log.info({ reason: error.message }, 'events client reply failed');
        resolve();
      });
    });
  }

  private readonly onFrame = (data: RawData, isBinary: boolean): void => {
    const text = decodeFrame(data, isBinary);
    const request = parseEventsRequest(text, this.options.explicitAck);
    if (request.kind === 'acknowledge') this.acknowledge(request.ids);
    else this.messageQueue.add(request.requests, Buffer.byteLength(text));
  };

  private acknowledge(ids: readonly string[]): void {
    this.acknowledgeToBroker(this.deliveries.acknowledge(ids));
  }

  private acknowledgeToBroker(idsByChannel: IdsByChannel): void {
    for (const [fqcn, ids] of idsByChannel) this.subscription.acknowledge(fqcn, ids);
  }

  private stopReceiving(): readonly SendRequest[] {
    this.socket.off('message', this.onFrame);
    return this.messageQueue.stop();
  }
}

/** Only for a message that the broker traces. A message that the socket never accepts has no span. */
function startDelivery({ traceparent: parent, fqcn: channel, topic, id }: DeliveredMessage): TraceSpan[] {
  if (parent === undefined) return [];
  const attributes = { channel, topic, messageId: id };
  return [startSpan('message deliver', { kind: 'consumer', parent, attributes })];
}

/** The message as the client receives it, without trace context: JSON omits undefined fields. */
function withoutContext(message: DeliveredMessage): DeliveredMessage {
  return message.traceparent === undefined ? message : { ...message, traceparent: undefined };
}

/** A binary frame that is not UTF-8 becomes the empty text, which is not JSON, because decoding would change it. */
function decodeFrame(data: RawData, isBinary: boolean): string {
  return isBinary && Buffer.isBuffer(data) && !isUtf8(data) ? '' : frameText(data);
}

const CLOSE_CODES: Readonly<Partial<Record<string, readonly [code: number, reason: string]>>> = {
  SUPERSEDED: [CLOSE_SUPERSEDED, 'superseded'],
  TOO_SLOW: [CLOSE_TOO_SLOW, 'too slow'],
};
