import { isUtf8 } from 'node:buffer';
import {
  CLOSE_REFUSED,
  CLOSE_SUPERSEDED,
  CLOSE_TOO_SLOW,
  errorKind,
  frameText,
  serialiseMessage,
  serialiseMessages,
  type BusMessage,
  type ErrorDetail,
  type FailedFrame,
  type GapFrame,
  type MissedMessages,
  type SendMessage,
  type SendMessageSuccess,
  type SentFrame,
} from '@ssb/bus';
import type { Logger } from '@ssb/platform';
import type { RawData, WebSocket } from 'ws';
import type { Subscription, SubscriptionHandler } from '../broker/broker-stream.js';
import { messageOf } from '../broker/to-message.js';
import { EventsInHand, type IdsByChannel } from './delivery-tracker.js';
import type { EventsMode } from './events-query.js';
import { readEventsRequest, type SendRequest } from './events-request.js';
import { GatewayFailure, invalidRequest, requestFailed } from '../http/gateway-exception.js';
import type { ByteBudget, Holder } from './byte-budget.js';
import { EventsIntake } from './send-queue.js';

/** What an events client needs of the gateway. */
export interface EventsServices {
  /** @throws GatewayFailure */
  readonly send: (message: SendMessage) => Promise<SendMessageSuccess>;
  readonly subscribe: (handler: SubscriptionHandler) => Subscription;
  readonly delivered: (count: number) => void;
  readonly missed: () => void;
  /** Most messages that the client has in hand, unacknowledged. */
  readonly window: number;
  /** Shared by all clients of the gateway: bytes that wait for their sockets, and bytes of theirs that wait for the broker. */
  readonly outgoing: ByteBudget;
  readonly incoming: ByteBudget;
  readonly log: Logger;
}

const CLOSE_TIMEOUT_MS = 1_000;

/** More of what waits for the broker is this client's than any other's, while all together have too much. */
const TOO_MUCH: ErrorDetail = {
  code: 'BUS::TOO_SLOW',
  reason: 'More is sent than the broker takes, and most of it by this client; what waits is not sent.',
};

/**
 * One WebSocket client. Towards it: messages of its subscription, acknowledged to the broker when the client says so (reliable) or
 * when the socket has taken them (plain). From it: messages to send, one after the other, so that they keep their order.
 */
export class EventsClient {
  private readonly inHand: EventsInHand;
  private readonly subscription: Subscription;
  private readonly intake: EventsIntake;
  /** Most bytes of all wait for its socket: nothing but cutting it off frees them. */
  private readonly reader: Holder = {
    letGo: () => {
      this.services.log.warn('an events client does not read and is cut off');
      this.socket.terminate();
    },
  };
  /** Most bytes of all that came in are its. */
  private readonly sender: Holder = {
    letGo: () => {
      this.services.log.warn('an events client sends more than the broker takes and is let go');
      this.end(TOO_MUCH);
    },
  };

  constructor(
    private readonly socket: WebSocket,
    private readonly mode: EventsMode,
    private readonly services: EventsServices,
  ) {
    this.inHand = new EventsInHand(services.window, mode.reliable);
    this.intake = new EventsIntake({
      pass: (request) => this.sendOne(request),
      hold: (bytes) => services.incoming.take(this.sender, bytes),
      pause: () => socket.pause(),
      resume: () => socket.resume(),
    });
    socket.on('message', this.onMessage);
    // A frame too large or malformed: ws closes the connection by itself, with the reason.
    socket.on('error', (error) =>
      services.log.info({ reason: error.message }, 'events client broke the protocol'),
    );
    socket.once('close', () => this.subscription.end());
    this.subscription = services.subscribe({
      subscribed: () => this.inHand.begin(),
      messages: (messages) => this.deliver(messages),
      gap: (missed) => this.tellGap(missed),
      refused: (err) => this.tellRefusal(err),
      closed: (err) => this.end(err),
    });
  }

  /** Takes nothing more, finishes and answers the message that is under way, refuses those that wait, closes. */
  async close(): Promise<void> {
    if (this.socket.readyState === this.socket.CLOSED) return;
    const closed = new Promise((resolve) => this.socket.once('close', resolve));
    this.subscription.end();
    const rest = this.stopIntake();
    // An answer to a client that does not read would wait for ever.
    const unread = setInterval(() => {
      if (this.socket.bufferedAmount > 0) this.socket.terminate();
    }, CLOSE_TIMEOUT_MS);
    await this.finished();
    for (const request of rest) {
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
    return this.intake.finished();
  }

  private deliver(messages: readonly BusMessage[]): void {
    const delivery = this.inHand.deliver(messages);
    this.acknowledgeAll(delivery.had);
    const shown = delivery.shown.map(messageOf);
    const [first] = shown;
    if (first === undefined) return;
    this.services.delivered(shown.length);
    const text = shown.length === 1 ? serialiseMessage(first) : serialiseMessages(shown);
    this.send(text, (error) => {
      if (!error && !this.mode.reliable) this.acknowledge(shown.map(({ id }) => id));
    });
  }

  private acknowledge(ids: readonly string[]): void {
    this.acknowledgeAll(this.inHand.acknowledge(ids));
  }

  private acknowledgeAll(ids: IdsByChannel): void {
    for (const [fqcn, acknowledged] of ids) this.subscription.acknowledge(fqcn, acknowledged);
  }

  private readonly onMessage = (data: RawData, isBinary: boolean): void => {
    const text = textOf(data, isBinary);
    const request = readEventsRequest(text, this.mode.reliable);
    if (request.kind === 'acknowledge') return this.acknowledge(request.ids);
    this.intake.take(request.requests, Buffer.byteLength(text));
  };

  private stopIntake(): readonly SendRequest[] {
    this.socket.off('message', this.onMessage);
    return this.intake.stop();
  }

  /** Waits for its reply to be taken, so that a client which does not read gets no further. */
  private async sendOne(request: SendRequest): Promise<void> {
    if (!request.ok) return this.refuse(request, invalidRequest(request.reason));
    const { transactionId } = request.message;
    try {
      const { id } = await this.services.send(request.message);
      if (this.mode.replies) await this.reply({ transactionId, id });
    } catch (error) {
      await this.refuse(request, this.failureOf(error));
    }
  }

  private refuse(request: SendRequest, failure: GatewayFailure): Promise<void> {
    const { transactionId } = request.ok ? request.message : request;
    return this.reply({ transactionId, err: failure.body().err });
  }

  private failureOf(error: unknown): GatewayFailure {
    if (error instanceof GatewayFailure) return error;
    this.services.log.error({ err: error }, 'a frame failed');
    return new GatewayFailure(500, 'REQ::INTERNAL', 'The gateway failed; the failure was recorded.');
  }

  /** Retention overtook the client. Whoever did not ask to be told knows no such frame. */
  private tellGap(missed: MissedMessages): void {
    this.services.missed();
    this.services.log.warn(missed, 'messages were removed before an events client got them');
    if (this.mode.gaps) void this.reply({ gap: missed });
  }

  private tellRefusal(err: ErrorDetail): void {
    this.services.log.warn(
      { code: err.code, reason: err.reason },
      'the broker refuses a subscription for now',
    );
    void this.reply({ err });
  }

  /** Tells the client why, and closes. What it sent and still waits is not sent: it may have no right to send any more. */
  end(err: ErrorDetail): void {
    this.stopIntake();
    void this.reply({ err });
    const [code, reason] = CLOSING[errorKind(err.code) ?? ''] ?? [CLOSE_REFUSED, 'rights revoked'];
    this.socket.close(code, reason);
    // Whoever does not read would not read the close either.
    const timer = setTimeout(() => this.socket.terminate(), CLOSE_TIMEOUT_MS);
    this.socket.once('close', () => clearTimeout(timer));
  }

  /** Resolves when the socket has taken it or is gone. */
  private reply(frame: FailedFrame | SentFrame | GapFrame): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.readyState !== this.socket.OPEN) return resolve();
      this.send(JSON.stringify(frame), (error) => {
        if (error) this.services.log.info({ reason: error.message }, 'a reply could not be delivered');
        resolve();
      });
    });
  }

  private send(text: string, taken: (error?: Error) => void): void {
    const give = this.services.outgoing.take(this.reader, Buffer.byteLength(text));
    this.socket.send(text, (error) => {
      give();
      taken(error ?? undefined);
    });
  }
}

/** Text frames are UTF-8 (RFC 6455 §8.1); of other binary ones decoding would make what nobody has said, and no JSON is nothing. */
function textOf(data: RawData, isBinary: boolean): string {
  return isBinary && Buffer.isBuffer(data) && !isUtf8(data) ? '' : frameText(data);
}

const CLOSING: Readonly<Partial<Record<string, readonly [code: number, reason: string]>>> = {
  SUPERSEDED: [CLOSE_SUPERSEDED, 'superseded'],
  TOO_SLOW: [CLOSE_TOO_SLOW, 'too slow'],
};
