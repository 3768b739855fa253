import { connectWebSocket, type ClientConnection } from '@ssb/net';
import { MAX_FRAME_BYTES } from '../broker/stream-api.js';
import {
  EVENTS_PATH,
  EVENTS_PROTOCOL,
  parseEventsFrame,
  type MissedMessages,
} from '../gateway/events-frame.js';
import type { ErrorDetail } from '../error-body.js';
import { MalformedMessageError, type Message } from '../gateway/message.js';
import { basicAuthorization } from './basic-authorization.js';
import {
  ReconnectingWebSocket,
  type Disconnection,
  type Handshake,
  type Send,
} from './reconnecting-websocket.js';

/** State of the connection. `reason` is text for a log and contains no payload. */
export type StreamState =
  | { readonly state: 'connected' }
  | ({ readonly state: 'disconnected' } & Disconnection)
  | { readonly state: 'stopped' };

/** An error that leaves the state unchanged. `reason` is text for a log and contains no payload. */
export interface StreamFault {
  readonly reason: string;
  /** The error that the gateway reported; undefined for other faults. */
  readonly err?: ErrorDetail;
}

/** How the gateway delivers messages. */
export type StreamDelivery =
  /** Unacknowledged messages are repeated on the next connection. Not in document 002. */
  | {
      readonly mode: 'acknowledged';
      /** Name under which the offset of each channel is kept. Each subscriber needs its own. */
      readonly clientId: string;
      /** Maximum number of unacknowledged messages. Default 100. */
      readonly window?: number;
      /** Channels to receive. Default: all that the gateway's identity may read. */
      readonly fqcn?: readonly string[];
    }
  /** Each message is sent once. The address has no query, which some gateways refuse. */
  | { readonly mode: 'plain' };

export interface GatewayStreamOptions {
  /** Address of the gateway, http(s) or ws(s), without `/events`. */
  readonly url: string;
  readonly username: string;
  /** A function returns the password of each connection, so that it can be rotated. */
  readonly password: string | (() => string);
  readonly delivery: StreamDelivery;
  /** Sub-protocol, as in the gateway's setting `EVENTS_PROTOCOL`. Default `dsb-messages`. */
  readonly protocol?: string;
  /** Receives messages in the order of each channel; `acknowledge` does nothing with plain delivery. An exception causes a reconnect. */
  readonly onMessages: (batch: Message[], acknowledge: (ids: string[]) => void) => void;
  readonly onState: (state: StreamState) => void;
  /** Called when the gateway reports an error, or a frame cannot be processed. */
  readonly onFault: (fault: StreamFault) => void;
  /** Called when messages were removed before this client received them. Default: `onFault`. */
  readonly onGap?: (missed: MissedMessages) => void;
  /**
   * Called for each message, and with plain delivery for each frame, that does not conform to document 002, which is left out. Default:
   * `onFault` and a reconnect.
   */
  readonly onMalformed?: (error: MalformedMessageError) => void;
  /** Called with the status when the gateway refuses a connection. The next attempt waits for the promise. */
  readonly onRefused?: (status: number) => Promise<void>;
  /** Interval of pings; the stream reconnects after two intervals without a frame. Milliseconds. Default 15 s. */
  readonly livenessMs?: number;
  /** Maximum delay between connection attempts, milliseconds. Default 10 s. */
  readonly maxDelayMs?: number;
  /** Certificates and proxy. */
  readonly connection?: ClientConnection;
}

const LIVENESS_MS = 15_000;

/**
 * Receives messages from `/events` and reconnects until stopped. Acknowledged delivery is at least once; plain delivery loses what is sent
 * during an interruption.
 */
export class GatewayStream {
  private connection: ReconnectingWebSocket | undefined;

  constructor(private readonly options: GatewayStreamOptions) {}

  /** Connects, and reconnects until `stop`. Idempotent. */
  start(): void {
    if (this.connection) return;
    const { onState, onRefused, livenessMs = LIVENESS_MS, maxDelayMs } = this.options;
    this.connection = new ReconnectingWebSocket({
      handshake: (ended) => this.handshake(ended),
      livenessMs,
      maxDelayMs,
      onOpen: () => onState({ state: 'connected' }),
      onText: (text, send) => this.receive(text, send),
      ...(onRefused && { onRefused }),
      onDisconnected: (disconnection) => onState({ state: 'disconnected', ...disconnection }),
    });
    this.connection.start();
  }

  /** Closes the connection. The last callback is `onState` with `stopped`. Idempotent. */
  async stop(): Promise<void> {
    const { connection } = this;
    if (!connection) return;
    this.connection = undefined;
    await connection.stop();
    this.options.onState({ state: 'stopped' });
  }

  /** Rethrows after a fault. A new connection then delivers unacknowledged messages again, in order. */
  private receive(text: string, send: Send): void {
    try {
      const frame = parseEventsFrame(text, { onMalformed: this.options.onMalformed });
      if (frame.kind === 'failed') {
        this.options.onFault({ reason: frame.err.reason, err: frame.err });
      } else if (frame.kind === 'gap') {
        this.reportGap(frame.gap);
      } else if (frame.kind === 'messages' && frame.messages.length > 0) {
        const { delivery, onMessages } = this.options;
        onMessages(frame.messages, (ids) => {
          if (delivery.mode === 'acknowledged' && ids.length > 0) send(JSON.stringify({ ack: ids }));
        });
      }
    } catch (error) {
      const { delivery, onMalformed } = this.options;
      if (delivery.mode === 'plain' && onMalformed && error instanceof MalformedMessageError)
        return onMalformed(error);
      this.options.onFault({ reason: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  private reportGap(missed: MissedMessages): void {
    const { onGap, onFault } = this.options;
    const { fqcn, after, upTo } = missed;
    if (onGap) onGap(missed);
    else onFault({ reason: `messages of ${fqcn} were missed, after ${after} up to ${upTo}` });
  }

  private handshake(ended: AbortSignal): Handshake {
    const { url, delivery, username, password, protocol } = this.options;
    const address = new URL(url.replace(/^http/, 'ws').replace(/\/+$/, '') + EVENTS_PATH);
    if (delivery.mode === 'acknowledged') addQuery(address, delivery);
    return {
      address,
      protocol: protocol ?? EVENTS_PROTOCOL,
      options: {
        headers: { authorization: basicAuthorization(username, password) },
        maxPayload: MAX_FRAME_BYTES,
        ...connectWebSocket(address, this.options.connection ?? {}, ended),
      },
    };
  }
}

function addQuery(
  { searchParams }: URL,
  { clientId, window = 100, fqcn = [] }: StreamDelivery & { mode: 'acknowledged' },
): void {
  searchParams.set('clientId', clientId);
  searchParams.set('ack', 'explicit');
  searchParams.set('window', String(window));
  searchParams.set('gaps', 'report');
  for (const channel of fqcn) searchParams.append('fqcn', channel);
}
