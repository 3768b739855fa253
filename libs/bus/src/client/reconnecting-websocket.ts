import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { checkServerIdentity, backoffDelayMs } from '@ssb/net';
import { WebSocket, type ClientOptions } from 'ws';
import { CLOSE_SUPERSEDED } from '../gateway/events-frame.js';
import { receivedErrorBody } from '../error-body.js';
import { frameText, watchLiveness } from './websocket.js';

/** Address and options of the next connection. */
export interface Handshake {
  /** ws or wss. */
  readonly address: string | URL;
  readonly protocol: string;
  /** Headers, certificates and limits. */
  readonly options: ClientOptions;
}

/** The connection ended, or an attempt failed. */
export interface Disconnection {
  readonly reason: string;
  readonly retryInMs: number;
  /** The server closed the connection because another one of the same client id replaced it. */
  readonly isSuperseded: boolean;
  /** Status with which the server refused the upgrade. */
  readonly refusedWith?: number;
}

/** Sends on one connection. Text is dropped after the connection ended. */
export type Send = (text: string) => void;

export interface ReconnectingWebSocketOptions {
  /**
   * Called for each attempt; a failure counts as a failed attempt.
   * @param ended aborted when the attempt or its connection has ended
   */
  readonly handshake: (ended: AbortSignal) => Handshake | Promise<Handshake>;
  /** Interval of `watchLiveness`. Without it, `onOpen` must watch the socket. */
  readonly livenessMs?: number | undefined;
  /** Default 10 s. */
  readonly maxDelayMs?: number | undefined;
  readonly onOpen: (socket: WebSocket) => void;
  /** Called for each message. An exception closes the connection, and later messages on it are dropped. */
  readonly onText?: (text: string, send: Send) => void;
  readonly onDisconnected: (disconnection: Disconnection) => void;
  /** Called when the server refuses the upgrade. The next attempt waits for the promise. */
  readonly onRefused?: (status: number) => Promise<void>;
}

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 10_000;
/** A connection that lasted this long resets the backoff. */
const STABLE_MS = 5_000;
/** Two clients that supersede each other would otherwise reconnect without a pause. */
const FAILURES_WHEN_SUPERSEDED = 6;
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** A busy server needs this time to check a password. */
const MIN_HANDSHAKE_TIMEOUT_MS = 1_000;
/** Added to the timeout of the handshake. */
const PROXY_TIMEOUT_MS = 200;
/** As ws reports it. */
const HANDSHAKE_TIMEOUT_MESSAGE = 'Opening handshake has timed out';
const CLOSE_TIMEOUT_MS = 1_000;
const MAX_REFUSAL_BYTES = 1_024;
const REFUSAL_TIMEOUT_MS = 1_000;

/** A WebSocket client that reconnects until it is stopped, detects a dead peer, and never throws. */
export class ReconnectingWebSocket {
  private socket: WebSocket | undefined;
  private retry: NodeJS.Timeout | undefined;
  private failed = 0;
  private stopped = false;
  private paused = false;

  constructor(private readonly options: ReconnectingWebSocketOptions) {}

  start(): void {
    void this.connect();
  }

  get open(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** Drops the text while there is no connection. */
  send(text: string): void {
    if (this.socket !== undefined) send(this.socket, text);
  }

  /** Reads no further frames, on later connections neither, until `resume`. */
  pause(): void {
    this.paused = true;
    if (this.open) this.socket?.pause();
  }

  resume(): void {
    this.paused = false;
    if (this.open) this.socket?.resume();
  }

  /** Ends the delay before the next attempt. Does nothing during an attempt or a connection. */
  retryNow(): void {
    if (this.stopped || this.retry === undefined) return;
    clearTimeout(this.retry);
    this.retry = undefined;
    this.start();
  }

  /** Opens no more connections. An open one stays open. */
  stopRetrying(): void {
    this.stopped = true;
    clearTimeout(this.retry);
    if (this.socket?.readyState === WebSocket.CONNECTING) this.socket.terminate();
  }

  /** Closes the connection, within a second. No callback follows. */
  async stop(): Promise<void> {
    this.stopRetrying();
    const { socket } = this;
    this.socket = undefined;
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return;
    // A paused socket would not receive the close frame.
    if (socket.isPaused) socket.resume();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS);
      socket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      if (socket.readyState === WebSocket.OPEN) socket.close(1000);
    });
  }

  private async connect(): Promise<void> {
    const { handshake, livenessMs } = this.options;
    const ended = new AbortController();
    try {
      const { address, protocol, options } = await handshake(ended.signal);
      if (this.stopped) return;
      const handshakeTimeout = Math.max(livenessMs ?? HANDSHAKE_TIMEOUT_MS, MIN_HANDSHAKE_TIMEOUT_MS);
      // The types of `ws` do not match this option of Node.
      const identity: object = { checkServerIdentity };
      const socket = new WebSocket(address, protocol, { handshakeTimeout, ...identity, ...options });
      socket.once('close', () => ended.abort());
      this.serve(socket, handshakeTimeout + PROXY_TIMEOUT_MS);
    } catch (error) {
      this.connectLater(error instanceof Error ? error.message : String(error));
    }
  }

  private serve(socket: WebSocket, openTimeoutMs: number): void {
    const { livenessMs, onOpen, onRefused } = this.options;
    this.socket = socket;
    let failure = '';
    let openedAt = Infinity;
    let refusedWith: number | undefined;
    // The timeout of ws begins after the connection, or the response of a proxy.
    const openTimer = setTimeout(() => {
      if (socket.readyState !== WebSocket.CONNECTING) return;
      failure ||= HANDSHAKE_TIMEOUT_MESSAGE;
      socket.terminate();
    }, openTimeoutMs);
    socket.on('open', () => {
      openedAt = performance.now();
      if (this.paused) socket.pause();
      if (livenessMs !== undefined) watchLiveness(socket, livenessMs);
      if (this.socket === socket) onOpen(socket);
    });
    if (this.options.onText)
      socket.on('message', (data) => (failure ||= this.receive(socket, frameText(data))));
    // With this listener, ws leaves the end of the handshake to it.
    socket.on('unexpected-response', (_request, response) => {
      const status = response.statusCode ?? 0;
      refusedWith = status;
      void readRefusal(response).then(async (text) => {
        failure = `the connection was refused with ${status}${text && `: ${text}`}`;
        await onRefused?.(status).catch(() => undefined);
        socket.terminate();
      });
    });
    socket.on('error', (error) => (failure ||= error.message));
    socket.on('close', (code, reason) => {
      clearTimeout(openTimer);
      if (this.socket !== socket) return;
      this.socket = undefined;
      const isSuperseded = code === CLOSE_SUPERSEDED;
      if (isSuperseded) this.failed = Math.max(this.failed, FAILURES_WHEN_SUPERSEDED);
      else if (performance.now() - openedAt >= STABLE_MS) this.failed = 0;
      this.connectLater(failure || reason.toString() || `closed with ${code}`, { isSuperseded, refusedWith });
    });
  }

  /** @returns the failure for the log; empty on success */
  private receive(socket: WebSocket, text: string): string {
    if (this.socket !== socket) return '';
    try {
      this.options.onText?.(text, (response) => send(socket, response));
      return '';
    } catch (error) {
      socket.removeAllListeners('message');
      socket.close(1011, 'the receiver failed');
      return `a frame could not be processed: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  private connectLater(
    reason: string,
    { isSuperseded = false, refusedWith }: { isSuperseded?: boolean; refusedWith?: number | undefined } = {},
  ): void {
    if (this.stopped) return;
    this.failed += 1;
    const backoff = { baseMs: FIRST_DELAY_MS, maxMs: this.options.maxDelayMs ?? MAX_DELAY_MS };
    const retryInMs = backoffDelayMs(this.failed, backoff, Math.random());
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.start();
    }, retryInMs);
    const refusal = refusedWith === undefined ? {} : { refusedWith };
    this.options.onDisconnected({ reason, retryInMs, isSuperseded, ...refusal });
  }
}

function send(socket: WebSocket, text: string): void {
  // A failure is followed by the socket's `close`.
  if (socket.readyState === WebSocket.OPEN) socket.send(text, () => undefined);
}

/** Code and reason of an error body (document 002). Other bodies are not logged: they can contain anything. */
function describeErrorBody(text: string): string {
  try {
    const { err } = receivedErrorBody.parse(JSON.parse(text));
    return `${err.code}: ${err.reason}`;
  } catch {
    return '';
  }
}

/** The error in the body of a refused upgrade; empty when there is none. */
async function readRefusal(response: IncomingMessage): Promise<string> {
  let text = Buffer.alloc(0);
  const read = async (): Promise<void> => {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      text = Buffer.concat([text, chunk]).subarray(0, MAX_REFUSAL_BYTES);
      if (text.length === MAX_REFUSAL_BYTES) return;
    }
  };
  const timeout = new AbortController();
  await Promise.race([
    read().catch(() => undefined),
    delay(REFUSAL_TIMEOUT_MS, undefined, { signal: timeout.signal }),
  ]);
  timeout.abort();
  return describeErrorBody(text.toString('utf8'));
}
