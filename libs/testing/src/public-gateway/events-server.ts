import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { GatewayRefusal } from './gateway-error.js';
import { toPushedMessage } from './message-log.js';
import { type GatewayOperations, parseSendRequest } from './operations.js';

export interface EventsOptions {
  /** Interval of the pushes; the real gateway has 1,000 ms. Default 20 ms. */
  readonly pushIntervalMs?: number;
  /** Messages of one channel in one push. Default 100. */
  readonly maxPerPush?: number;
  /** EVENTS_EMIT_MODE: one message a frame, or one channel a frame. Default, as in the real gateway, `BULK`. */
  readonly emitMode?: 'SINGLE' | 'BULK';
  /** False for a gateway with nothing beyond document 002. Default true. */
  readonly hasEvents?: boolean;
  /** With this status, every connection is refused. */
  readonly eventsStatus?: string;
}

const PATH = '/events';
const PROTOCOL = 'dsb-messages';
const PUSH_INTERVAL_MS = 20;
const MAX_PER_PUSH = 100;
const PROTOCOL_ERROR = 1002;

interface UpgradeRefusal {
  readonly status: string;
  readonly reason?: string;
}

/** The WebSocket of the public gateway. It has no query, acknowledgement or other extension. */
export class EventsServer {
  /** Frames of clients that are not messages to send. */
  readonly violations: string[] = [];
  private readonly server = new WebSocketServer({ noServer: true, handleProtocols: () => PROTOCOL });
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly operations: GatewayOperations,
    private readonly options: EventsOptions,
  ) {}

  /** Open connections. */
  get connections(): number {
    return this.server.clients.size;
  }

  startPush(): void {
    this.timer ??= setInterval(() => this.push(), this.options.pushIntervalMs ?? PUSH_INTERVAL_MS);
  }

  stopPush(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  dropConnections(): void {
    for (const socket of this.server.clients) socket.terminate();
  }

  /** @returns the status of the response */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, isAuthorized: boolean): number {
    const refusal = this.findRefusal(request, isAuthorized);
    if (refusal !== undefined) {
      const reason = refusal.reason === undefined ? '' : `X-WebSocket-Reject-Reason: ${refusal.reason}\r\n`;
      socket.end(`HTTP/1.1 ${refusal.status}\r\nConnection: close\r\n${reason}\r\n`);
      return Number.parseInt(refusal.status, 10);
    }
    this.server.handleUpgrade(request, socket, head, (client) => this.serve(client));
    return 101;
  }

  private findRefusal({ url, headers }: IncomingMessage, isAuthorized: boolean): UpgradeRefusal | undefined {
    if (this.options.eventsStatus !== undefined) return { status: this.options.eventsStatus };
    if (this.options.hasEvents === false || url !== PATH) return { status: '404 Not Found' };
    if (!isAuthorized) return { status: '401 Unauthorized' };
    const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
    if (!offered.includes(PROTOCOL)) return { status: '400 Bad Request', reason: 'Protocol Not Supported' };
    return undefined;
  }

  private serve(client: WebSocket): void {
    client.on('error', () => client.terminate());
    client.on('message', (data: Buffer) => this.receive(client, data.toString('utf8')));
  }

  private receive(client: WebSocket, text: string): void {
    const frame = parseSendRequest(text);
    if (frame === undefined) {
      this.violations.push(text);
      return client.close(PROTOCOL_ERROR);
    }
    try {
      this.operations.send(frame);
    } catch (error) {
      if (!(error instanceof GatewayRefusal)) throw error;
      client.send(JSON.stringify({ transactionId: frame.transactionId, err: error.err }));
    }
  }

  /** The messages count as delivered before a client has them. */
  private push(): void {
    const { maxPerPush = MAX_PER_PUSH, emitMode = 'BULK' } = this.options;
    for (const messages of this.operations.takePushes(maxPerPush)) {
      const pushed = messages.map(toPushedMessage);
      if (emitMode === 'BULK') return this.broadcast(pushed);
      for (const message of pushed) this.broadcast(message);
    }
  }

  private broadcast(value: object): void {
    for (const client of this.server.clients) client.send(JSON.stringify(value));
  }
}
