import {
  backoffPause,
  frameText,
  LARGEST_FRAME,
  STREAM_PATH,
  STREAM_PROTOCOL,
  streamFrame,
  watchLiveness,
} from '@ssb/bus';
import type { StreamFrame, StreamRequest } from '@ssb/bus';
import type { Logger } from '@ssb/platform';
import { WebSocket } from 'ws';
import type { BrokerTlsContent } from '../tls/broker-tls.js';

export interface BrokerConnectionOptions {
  /** Address of the broker, http(s). */
  readonly url: string;
  /** Certificates for the connection that is opened next. */
  readonly tls: () => BrokerTlsContent;
  /** A bearer token that the broker takes; may reject, then the connection is tried again later. */
  readonly token: () => Promise<string>;
  /** The broker did not take this token. */
  readonly refused: (token: string) => Promise<void>;
  readonly livenessMs: number;
  readonly longestPauseMs: number;
  readonly log: Logger;
  readonly onOpen: () => void;
  readonly onFrame: (frame: StreamFrame) => void;
  readonly onDown: () => void;
}

/** A connection that lasted this long was a good one: the next failure starts the backoff anew. */
const STABLE_MS = 5_000;

/** One WebSocket to the broker for one identity: reconnects until stopped, notices a dead broker, never throws. */
export class BrokerConnection {
  private socket: WebSocket | undefined;
  private retry: NodeJS.Timeout | undefined;
  private attempt = 0;
  private stopped = false;

  constructor(private readonly options: BrokerConnectionOptions) {}

  start(): void {
    this.options.token().then(
      (token) => this.connect(token),
      (error: unknown) => this.connectLater(error instanceof Error ? error.message : String(error)),
    );
  }

  /** Cuts the pause before the next attempt short; nothing while it is connected or connecting. */
  hurry(): void {
    if (this.stopped || this.retry === undefined) return;
    clearTimeout(this.retry);
    this.retry = undefined;
    this.start();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.retry);
    const { socket } = this;
    this.socket = undefined;
    if (socket?.readyState === WebSocket.OPEN) socket.close(1000);
    else socket?.terminate();
  }

  get open(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** Sends when connected; otherwise drops, because a new connection subscribes anew and gets everything again. */
  send(request: StreamRequest): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    this.socket.send(JSON.stringify(request), ignoreLostConnection);
  }

  private connect(token: string): void {
    if (this.stopped) return;
    const { url, tls, livenessMs, log } = this.options;
    const address = `${url.replace(/^http/, 'ws')}${STREAM_PATH}`;
    const socket = new WebSocket(address, STREAM_PROTOCOL, {
      headers: { authorization: `Bearer ${token}` },
      handshakeTimeout: Math.max(livenessMs, 1_000),
      maxPayload: LARGEST_FRAME,
      ...tls(),
    });
    this.socket = socket;
    let failure = '';
    let openedAt = 0;
    socket.on('open', () => {
      openedAt = Date.now();
      watchLiveness(socket, livenessMs);
      log.info({ step: 'stream-connected' }, 'broker stream connected');
      if (!this.stopped) this.options.onOpen();
    });
    socket.on('message', (data) => this.receive(socket, frameText(data)));
    socket.on('unexpected-response', (_request, response) => {
      failure = `the upgrade was answered with ${response.statusCode}`;
      response.resume();
      const forgotten = response.statusCode === 401 ? this.options.refused(token) : Promise.resolve();
      // The listener takes over the ending of the handshake from ws.
      void forgotten.finally(() => socket.terminate());
    });
    socket.on('error', (error) => (failure ||= error.message));
    socket.on('close', (code, reason) => {
      if (this.socket !== socket) return;
      this.socket = undefined;
      if (openedAt > 0) this.options.onDown();
      if (openedAt > 0 && Date.now() - openedAt >= STABLE_MS) this.attempt = 0;
      this.connectLater(failure || reason.toString() || `closed with ${code}`);
    });
  }

  private connectLater(reason: string): void {
    if (this.stopped) return;
    const retryInMs = backoffPause(this.attempt++, Math.random(), this.options.longestPauseMs);
    this.options.log.warn({ step: 'stream-down', reason, retryInMs }, 'broker stream is down');
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.start();
    }, retryInMs);
  }

  private receive(socket: WebSocket, text: string): void {
    if (this.socket !== socket) return;
    const frame = readFrame(text);
    if (frame === undefined) this.options.log.warn('the broker sent a frame that is not understood');
    else this.options.onFrame(frame);
  }
}

function readFrame(text: string): StreamFrame | undefined {
  try {
    return streamFrame.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The socket's own `close` follows and is handled there. */
function ignoreLostConnection(): void {
  return;
}
