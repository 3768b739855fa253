import { LARGEST_FRAME } from '../broker/stream.js';
import {
  EVENTS_PATH,
  EVENTS_PROTOCOL,
  parseEventsFrame,
  type MissedMessages,
} from '../gateway/events-frame.js';
import type { ErrorDetail } from '../error-body.js';
import type { Message } from '../gateway/message.js';
import { basicAuthorization } from './basic-authorization.js';
import { ReconnectingWebSocket, type Handshake, type Send } from './reconnecting-websocket.js';

/** Where a stream stands. `reason` is a sentence for a log; it holds no payload. */
export type StreamState =
  | { readonly state: 'connected' }
  | { readonly state: 'disconnected'; readonly reason: string; readonly retryInMs: number }
  | { readonly state: 'fault'; readonly reason: string; readonly err?: ErrorDetail }
  | { readonly state: 'stopped' };

export interface GatewayStreamOptions {
  /** Address of the gateway, http(s) or ws(s), without `/events`. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Whose position in the channels this is; give each subscriber its own. */
  readonly clientId: string;
  /** Channels to receive; all that the gateway's identity may read when omitted. */
  readonly fqcn?: readonly string[];
  /** Sub-protocol, as the gateway's operator named it (`EVENTS_PROTOCOL` of its settings). Default `dsb-messages`. */
  readonly protocol?: string;
  /** Most messages in hand, unacknowledged. Default 100. */
  readonly window?: number;
  /**
   * Takes messages, in the order of each channel. `acknowledge` may be called at any later time and for any part; what is not
   * acknowledged comes again after a reconnection. Must not throw: then the batch is left unacknowledged and the stream reconnects.
   */
  readonly onMessages: (batch: Message[], acknowledge: (ids: string[]) => void) => void;
  readonly onState: (state: StreamState) => void;
  /** Messages were removed before this client got them. Without it, such a gap is a `fault` of the state. */
  readonly onGap?: (missed: MissedMessages) => void;
  /** Ping after this much silence, give up after as much again; milliseconds. Default 15 s. */
  readonly livenessMs?: number;
  /** Longest pause between attempts, milliseconds. Default 10 s. */
  readonly longestPauseMs?: number;
  /** Certificate authority (PEM) of a gateway with a private certificate. */
  readonly ca?: string;
}

const LIVENESS_MS = 15_000;

/**
 * Receives messages through a gateway's `/events` with explicit acknowledgement; reconnects until it is stopped. At-least-once: the
 * receiver drops repeats by id.
 */
export class GatewayStream {
  private connection: ReconnectingWebSocket | undefined;

  constructor(private readonly options: GatewayStreamOptions) {}

  /** Connects, and keeps connected until `stop`. Harmless when repeated. */
  start(): void {
    if (this.connection) return;
    const { onState, livenessMs = LIVENESS_MS, longestPauseMs } = this.options;
    this.connection = new ReconnectingWebSocket({
      handshake: () => this.handshake(),
      livenessMs,
      maxDelayMs: longestPauseMs,
      onOpen: () => onState({ state: 'connected' }),
      onText: (text, send) => this.receive(text, send),
      onDisconnected: (disconnection) => onState({ state: 'disconnected', ...disconnection }),
    });
    this.connection.start();
  }

  /** Closes; no call-back comes afterwards except the last state. Harmless when repeated. */
  async stop(): Promise<void> {
    const { connection } = this;
    if (!connection) return;
    this.connection = undefined;
    await connection.stop();
    this.options.onState({ state: 'stopped' });
  }

  /** @throws after the fault is reported: unacknowledged messages come again, in their order, on a new connection */
  private receive(text: string, send: Send): void {
    try {
      const frame = parseEventsFrame(text);
      if (frame.kind === 'failed') {
        this.options.onState({ state: 'fault', reason: frame.err.reason, err: frame.err });
      } else if (frame.kind === 'gap') {
        this.tellGap(frame.gap);
      } else if (frame.kind === 'messages' && frame.messages.length > 0) {
        this.options.onMessages(frame.messages, (ids) => {
          if (ids.length > 0) send(JSON.stringify({ ack: ids }));
        });
      }
    } catch (error) {
      this.options.onState({
        state: 'fault',
        reason: error instanceof Error ? error.message : String(error),
      });
      throw error;
    }
  }

  private tellGap(missed: MissedMessages): void {
    const { onGap, onState } = this.options;
    const { fqcn, after, upTo } = missed;
    if (onGap) onGap(missed);
    else onState({ state: 'fault', reason: `messages of ${fqcn} were missed, after ${after} up to ${upTo}` });
  }

  private handshake(): Handshake {
    const { url, clientId, fqcn = [], window = 100, username, password, protocol, ca } = this.options;
    const address = new URL(url.replace(/^http/, 'ws').replace(/\/+$/, '') + EVENTS_PATH);
    address.searchParams.set('clientId', clientId);
    address.searchParams.set('ack', 'explicit');
    address.searchParams.set('window', String(window));
    address.searchParams.set('gaps', 'report');
    for (const channel of fqcn) address.searchParams.append('fqcn', channel);
    return {
      address,
      protocol: protocol ?? EVENTS_PROTOCOL,
      options: {
        headers: { authorization: basicAuthorization(username, password) },
        maxPayload: LARGEST_FRAME,
        ...(ca !== undefined && { ca }),
      },
    };
  }
}
