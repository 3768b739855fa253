import type { ErrorDetail, FailedFrame, GapFrame, SentFrame } from '@ssb/bus';
import type { Logger } from '@ssb/platform';
import type { WebSocket } from 'ws';
import { GatewayException, internalError, invalidRequest, requestFailed } from '../http/gateway-exception.js';
import type { MessageSender } from '../messages/message-sender.js';
import { BODY_LIMIT } from '../settings.js';
import type { BudgetHolder, ByteBudget } from './byte-budget.js';
import type { SendRequest } from './events-request.js';

/** From these limits on the client's socket is paused. */
const MAX_WAITING_FRAMES = 64;
export const MAX_WAITING_BYTES = BODY_LIMIT;

const SENDS_TOO_FAST: ErrorDetail = {
  code: 'BUS::TOO_SLOW',
  reason:
    'The client sends faster than the broker accepts. Messages that wait are dropped; connect again and send fewer at once.',
};

/** A frame of the gateway that is not a message. */
export type ClientReply = FailedFrame | SentFrame | GapFrame;

/** The connection that the messages come from. */
export interface MessageSource {
  readonly socket: Pick<WebSocket, 'pause' | 'resume'>;
  /** Resolves when the socket has accepted the reply or is closed. */
  reply(frame: ClientReply): Promise<void>;
  /** Reports the error and closes the connection. */
  end(err: ErrorDetail): void;
}

interface WaitingFrame {
  readonly requests: readonly SendRequest[];
  readonly bytes: number;
  readonly releaseBytes: () => void;
}

/** The messages that one client has sent. They are sent to the broker one after the other, so that they keep their order. */
export class ClientMessageQueue implements BudgetHolder {
  private readonly frames: WaitingFrame[] = [];
  private bytes = 0;
  /** Number of requests of the first frame whose processing has begun. */
  private begun = 0;
  private stopped = false;
  private processing = false;
  private processed: Promise<void> = Promise.resolve();

  constructor(
    private readonly source: MessageSource,
    /** `replies`: successful messages get a reply too. */
    private readonly options: { readonly replies: boolean },
    private readonly context: {
      readonly sender: Pick<MessageSender, 'send'>;
      readonly incoming: ByteBudget;
    },
    private readonly log: Logger,
  ) {}

  /** @param bytes size of the frame as it arrived */
  add(requests: readonly SendRequest[], bytes: number): void {
    const releaseBytes = this.context.incoming.reserve(this, bytes);
    // The reservation may have evicted this client.
    if (this.stopped) return releaseBytes();
    this.frames.push({ requests, bytes, releaseBytes });
    this.bytes += bytes;
    if (this.isFull()) this.source.socket.pause();
    if (!this.processing) this.processed = this.processAll();
  }

  /** Called when this client holds most of the exceeded byte budget. */
  evict(): void {
    this.log.warn({ reason: 'sends-too-fast' }, 'events client evicted');
    this.source.end(SENDS_TOO_FAST);
  }

  /** Drops the waiting messages. The socket is resumed, so that its close is noticed. @returns the dropped messages, in order */
  stop(): readonly SendRequest[] {
    this.stopped = true;
    const rest = this.frames.flatMap(({ requests }) => requests).slice(this.begun);
    for (const { releaseBytes } of this.frames.splice(0)) releaseBytes();
    this.begun = 0;
    this.source.socket.resume();
    return rest;
  }

  /** Resolves when no message waits or is in flight. */
  finished(): Promise<void> {
    return this.processed;
  }

  /** Replies to messages that `stop` has dropped. */
  async refuseAtShutdown(requests: readonly SendRequest[]): Promise<void> {
    for (const request of requests) {
      const stopping = requestFailed('The gateway is stopping.');
      await this.refuse(request, request.ok ? stopping : invalidRequest(request.reason));
    }
  }

  private async processAll(): Promise<void> {
    this.processing = true;
    for (let frame = this.frames[0]; frame !== undefined; frame = this.frames[0]) {
      const request = frame.requests[this.begun];
      if (request === undefined) {
        this.begun = 0;
        this.frames.shift();
        this.bytes -= frame.bytes;
        frame.releaseBytes();
        if (!this.isFull()) this.source.socket.resume();
      } else {
        this.begun += 1;
        await this.process(request);
      }
    }
    this.processing = false;
  }

  /** Waits until the socket has accepted the reply, so that a client must read before its next message is sent. Never rejects. */
  private async process(request: SendRequest): Promise<void> {
    if (!request.ok) return this.refuse(request, invalidRequest(request.reason));
    const { transactionId } = request.message;
    try {
      const { id } = await this.context.sender.send(request.message);
      if (this.options.replies) await this.source.reply({ transactionId, id });
    } catch (error) {
      if (!(error instanceof GatewayException)) this.log.error({ err: error }, 'send request failed');
      await this.refuse(request, error instanceof GatewayException ? error : internalError());
    }
  }

  private refuse(request: SendRequest, exception: GatewayException): Promise<void> {
    const { transactionId } = request.ok ? request.message : request;
    return this.source.reply({ transactionId, err: exception.body().err });
  }

  private isFull(): boolean {
    return this.frames.length >= MAX_WAITING_FRAMES || this.bytes >= MAX_WAITING_BYTES;
  }
}
