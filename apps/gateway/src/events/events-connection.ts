import { serialiseMessage, serialiseMessages, type ErrorDetail, type MissedMessages } from '@ssb/bus';
import type { Logger, Metrics } from '@ssb/platform';
import type { RawData, WebSocket } from 'ws';
import type { BrokerStream } from '../broker/broker-stream.js';
import type { SubscriptionHandle, SubscriptionHandler } from '../broker/broker-subscription.js';
import type { DeliveredMessage } from '../broker/to-message.js';
import type { MessageSender } from '../messages/message-sender.js';
import type { Settings } from '../settings.js';
import type { ByteBudget } from './byte-budget.js';
import { ClientDeliveries, type IdsByChannel } from './client-deliveries.js';
import { ClientMessageQueue, type ClientReply } from './client-message-queue.js';
import { closeCodeOf, closeSocket, waitForReplies } from './close-socket.js';
import type { EventsOptions } from './events-query.js';
import { decodeFrame, parseEventsRequest, type SendRequest } from './events-request.js';
import { FrameWriter } from './frame-writer.js';
import type { SharedSubscriptions } from './shared-subscription.js';
import { traceMessages } from './traced-messages.js';

type Counter = Pick<ReturnType<Metrics['counter']>, 'inc'>;

/** Shared by all connections of the gateway. */
export interface EventsContext {
  readonly sender: Pick<MessageSender, 'send'>;
  readonly stream: Pick<BrokerStream, 'subscribe'>;
  readonly shared: Pick<SharedSubscriptions, 'join'>;
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
    const { named, clientId, from, fqcn, explicitAck, window = context.defaultWindow } = options;
    this.deliveries = new ClientDeliveries(window, explicitAck);
    this.writer = new FrameWriter(socket, context.outgoing, log);
    this.messageQueue = new ClientMessageQueue(this, options, context, log);
    socket.on('message', this.onFrame);
    // After a malformed or too large frame, ws closes the connection with the reason.
    socket.on('error', (error) => log.info({ reason: error.message }, 'events client protocol error'));
    socket.once('close', () => this.subscription.end());
    this.subscription = named
      ? context.stream.subscribe({ clientId, from, fqcn, window }, this)
      : context.shared.join(fqcn, this);
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
    const { messages: sent, spans } = traceMessages(toSend);
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
    closeSocket(this.socket, ...closeCodeOf(err));
  }

  /** At shutdown: completes the message in flight, refuses the waiting ones, then closes. */
  async close(): Promise<void> {
    if (this.socket.readyState === this.socket.CLOSED) return;
    const closed = new Promise((resolve) => this.socket.once('close', resolve));
    this.subscription.end();
    const waiting = this.stopReceiving();
    const replies = this.finished().then(() => this.messageQueue.refuseAtShutdown(waiting));
    await waitForReplies(this.socket, replies);
    closeSocket(this.socket, 1001, 'the gateway is stopping');
    await closed;
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
