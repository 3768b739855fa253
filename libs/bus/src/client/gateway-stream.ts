import { WebSocket, type RawData } from 'ws';
import { LARGEST_FRAME } from '../broker/stream.js';
import {
  CLOSE_SUPERSEDED,
  EVENTS_PATH,
  EVENTS_PROTOCOL,
  parseEventsFrame,
  type MissedMessages,
} from '../gateway/events-frame.js';
import type { ErrorDetail } from '../error-body.js';
import type { Message } from '../gateway/message.js';
import { backoffPause } from './backoff.js';
import { basicAuthorization } from './basic-authorization.js';
import { frameText } from './frame-text.js';
import { watchLiveness } from './liveness.js';

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

/** A handshake may ask a password of a busy gateway: it has this long at least. */
const SHORTEST_HANDSHAKE_MS = 1_000;

/** A connection that lasted this long was a good one: the next failure starts the backoff anew. */
const STABLE_MS = 5_000;

/**
 * Receives messages through a gateway's `/events` with explicit acknowledgement: reconnects for ever, notices a dead peer, never
 * raises an unhandled error. At-least-once: the receiver drops repeats by id.
 */
export class GatewayStream {
  private socket: WebSocket | undefined;
  private retry: NodeJS.Timeout | undefined;
  private running = false;
  private attempt = 0;

  constructor(private readonly options: GatewayStreamOptions) {}

  /** Connects, and keeps connected until `stop`. Harmless when repeated. */
  start(): void {
    if (this.running) return;
    this.running = true;
    this.attempt = 0;
    this.connect();
  }

  /** Closes; no call-back comes afterwards except the last state. Harmless when repeated. */
  async stop(): Promise<void> {
    if (!this.running) return;
    this.running = false;
    clearTimeout(this.retry);
    const { socket } = this;
    this.socket = undefined;
    if (socket !== undefined) await closed(socket);
    this.options.onState({ state: 'stopped' });
  }

  private connect(): void {
    const { username, password, ca, onState, livenessMs = 15_000 } = this.options;
    const socket = new WebSocket(this.address(), this.options.protocol ?? EVENTS_PROTOCOL, {
      headers: { authorization: basicAuthorization(username, password) },
      handshakeTimeout: Math.max(livenessMs, SHORTEST_HANDSHAKE_MS),
      maxPayload: LARGEST_FRAME,
      ...(ca !== undefined && { ca }),
    });
    this.socket = socket;
    let failure = '';
    let openedAt = 0;
    socket.on('open', () => {
      openedAt = Date.now();
      watchLiveness(socket, livenessMs);
      if (this.socket === socket) onState({ state: 'connected' });
    });
    socket.on('message', (data) => this.receive(socket, data));
    socket.on('error', (error) => (failure = error.message));
    socket.on('close', (code, reason) => {
      if (this.socket !== socket) return;
      this.socket = undefined;
      const why = failure || reason.toString() || `the gateway closed the connection (${code})`;
      // Whoever was superseded must not take the place back at once: two of them would do so for ever.
      if (code === CLOSE_SUPERSEDED) this.attempt = Math.max(this.attempt, 6);
      else if (openedAt > 0 && Date.now() - openedAt >= STABLE_MS) this.attempt = 0;
      this.reconnect(why);
    });
  }

  private reconnect(reason: string): void {
    if (!this.running) return;
    const retryInMs = backoffPause(this.attempt++, Math.random(), this.options.longestPauseMs);
    this.retry = setTimeout(() => this.connect(), retryInMs);
    this.options.onState({ state: 'disconnected', reason, retryInMs });
  }

  private receive(socket: WebSocket, data: RawData): void {
    if (this.socket !== socket) return;
    try {
      const frame = parseEventsFrame(frameText(data));
      if (frame.kind === 'failed') {
        this.options.onState({ state: 'fault', reason: frame.err.reason, err: frame.err });
      } else if (frame.kind === 'gap') {
        this.tellGap(frame.gap);
      } else if (frame.kind === 'messages' && frame.messages.length > 0) {
        this.options.onMessages(frame.messages, (ids) => this.acknowledge(socket, ids));
      }
    } catch (error) {
      this.options.onState({
        state: 'fault',
        reason: error instanceof Error ? error.message : String(error),
      });
      // Unacknowledged messages would fill the window: a new connection gets them again. Those that are here already are not shown: they
      // would be before the failed ones.
      socket.removeAllListeners('message');
      socket.close(1011, 'the receiver failed');
    }
  }

  private tellGap(missed: MissedMessages): void {
    const { onGap, onState } = this.options;
    const { fqcn, after, upTo } = missed;
    if (onGap) onGap(missed);
    else onState({ state: 'fault', reason: `messages of ${fqcn} were missed, after ${after} up to ${upTo}` });
  }

  /** On a connection that is gone an acknowledgement has no meaning: the messages come again and are dropped as repeats. */
  private acknowledge(socket: WebSocket, ids: readonly string[]): void {
    if (ids.length === 0 || socket.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify({ ack: ids }), ignoreLostConnection);
  }

  private address(): URL {
    const { url, clientId, fqcn = [], window = 100 } = this.options;
    const address = new URL(url.replace(/^http/, 'ws').replace(/\/+$/, '') + EVENTS_PATH);
    address.searchParams.set('clientId', clientId);
    address.searchParams.set('ack', 'explicit');
    address.searchParams.set('window', String(window));
    address.searchParams.set('gaps', 'tell');
    for (const channel of fqcn) address.searchParams.append('fqcn', channel);
    return address;
  }
}

/** The socket's own `close` follows and is handled there. */
function ignoreLostConnection(): void {
  return;
}

const CLOSE_TIMEOUT_MS = 1_000;

function closed(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState === WebSocket.CLOSED) return resolve();
    const timer = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    if (socket.readyState === WebSocket.CONNECTING) socket.terminate();
    else socket.close(1000);
  });
}
