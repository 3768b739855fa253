import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  CLOSE_SUPERSEDED,
  EVENTS_PATH,
  EVENTS_PROTOCOL,
  serialiseMessages,
  type Channel,
  type Message,
  type MissedMessages,
} from '@ssb/bus';
import { WebSocketServer, type WebSocket } from 'ws';
import { CHANNEL, gatewayDid } from '@ssb/testing/signed-messages';

export const USERNAME = 'subscriber';
export const PASSWORD = 'a password of the tests';

/** The part of a `ws.yaml` that declares acknowledgement. */
export const ACKNOWLEDGING_DOCUMENT =
  'channels: { /events: { bindings: { ws: { query: { properties: { ack: { const: explicit } } } } } } }';

/**
 * A gateway's /events, and the operations that show its access. With ack=explicit it repeats unacknowledged messages, otherwise it delivers
 * each once.
 */
export class FakeGateway {
  /** Ids in order of acknowledgement. */
  readonly acknowledged: string[] = [];
  /** URL of each connection. */
  readonly connections: URL[] = [];
  /** The only accepted password. */
  password = PASSWORD;
  enrolled = true;
  channels: Channel[] = [{ fqcn: CHANNEL, subscribers: [gatewayDid] }];
  /** Number of ended connections. */
  closed = 0;
  /** Closes the connection instead of recording the next acknowledgement, once. */
  loseNextAcknowledgement = false;
  /** Leaves requests without a response. */
  silent = false;
  unanswered = 0;
  hasEvents = true;
  /** False for a gateway with plain delivery only. */
  acknowledges = true;
  /** What `GET /message` returns. */
  stored: Message[] = [];
  /** Of each `GET /message`. */
  readonly readQueries: URLSearchParams[] = [];
  /** Leaves `GET /message` without a response until `respondToReads`. */
  holdsReads = false;
  /** Sub-protocol of /events. */
  protocol: string = EVENTS_PROTOCOL;
  /** How far the gateway's clock is ahead, milliseconds. */
  clockAheadMs = 0;
  private readonly log: Message[] = [];
  private readonly server;
  private readonly scheme: string;
  private readonly sockets: WebSocketServer;
  private socket: WebSocket | undefined;
  private readonly reads: (() => void)[] = [];

  constructor({ tls }: { tls?: ServerOptions } = {}) {
    this.scheme = tls === undefined ? 'http' : 'https';
    const serve = (request: IncomingMessage, response: ServerResponse): void => this.serve(request, response);
    this.server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
    this.sockets = new WebSocketServer({
      server: this.server,
      path: EVENTS_PATH,
      handleProtocols: (offered) => (offered.has(this.protocol) ? this.protocol : false),
      verifyClient: (
        { req }: { req: IncomingMessage },
        respond: (accepted: boolean, status?: number) => void,
      ) => {
        const isFound = this.hasEvents && (this.acknowledges || req.url === EVENTS_PATH);
        respond(isFound && this.isAuthenticated(req), isFound ? 401 : 404);
      },
    });
    this.sockets.on('connection', (socket, request) => this.connected(socket, request));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `${this.scheme}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets.clients) socket.terminate();
    await new Promise((resolve) => this.sockets.close(resolve));
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  deliver(...messages: Message[]): void {
    this.log.push(...messages);
    if (this.socket !== undefined) this.socket.send(serialiseMessages(messages));
  }

  /** Reports messages that retention removed. */
  reportGap(missed: MissedMessages): void {
    this.socket?.send(JSON.stringify({ gap: missed }));
  }

  /** Number of reads that wait for `respondToReads`. */
  get heldReads(): number {
    return this.reads.length;
  }

  respondToReads(): void {
    this.holdsReads = false;
    for (const respond of this.reads.splice(0)) respond();
  }

  /** Ends every connection. */
  closeRequests(): void {
    this.server.closeAllConnections();
  }

  /** Closes the connection; the subscriber connects again. */
  drop(): void {
    this.socket?.terminate();
    this.socket = undefined;
  }

  /** Closes the connection as when another one of the same client id replaces it. */
  supersede(): void {
    this.socket?.close(CLOSE_SUPERSEDED, 'superseded');
    this.socket = undefined;
  }

  private isAuthenticated({ headers }: IncomingMessage): boolean {
    return (
      headers.authorization === `Basic ${Buffer.from(`${USERNAME}:${this.password}`).toString('base64')}`
    );
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    if (this.silent) {
      this.unanswered += 1;
      return;
    }
    response.setHeader('date', new Date(Date.now() + this.clockAheadMs).toUTCString());
    if (request.url === '/api/health') return void response.end();
    if (request.url === '/api/v1/docs/ws.yaml')
      return void response.end(this.acknowledges ? ACKNOWLEDGING_DOCUMENT : 'channels: {}');
    if (!this.isAuthenticated(request)) {
      const err = { code: 'REQ::UNAUTHENTICATED', reason: 'no' };
      return void response.writeHead(401).end(JSON.stringify({ err }));
    }
    if (request.url?.startsWith('/api/v1/message?') === true) return this.read(request.url, response);
    const state = {
      ready: this.enrolled,
      waiting: false,
      roles: { user: this.enrolled ? 'APPROVED' : 'NO_CLAIM', messagebroker: 'NOT_WANTED' },
    };
    const body = request.url === '/api/v1/channels' ? this.channels : { did: gatewayDid, state };
    response.end(JSON.stringify(body));
  }

  private read(url: string, response: ServerResponse): void {
    const { searchParams: query } = new URL(url, 'http://gateway');
    this.readQueries.push(query);
    const from = Date.parse(query.get('from') ?? '');
    const respond = (): void => {
      const found = this.stored.filter(
        ({ fqcn, timestampNanos }) =>
          fqcn === query.get('fqcn') && Number(timestampNanos / 1_000_000n) >= from,
      );
      response.end(serialiseMessages(found));
    };
    if (this.holdsReads) this.reads.push(respond);
    else respond();
  }

  private connected(socket: WebSocket, request: IncomingMessage): void {
    const url = new URL(request.url ?? '', 'http://gateway');
    this.connections.push(url);
    this.socket = socket;
    socket.once('close', () => {
      this.closed += 1;
      if (this.socket === socket) this.socket = undefined;
    });
    if (!url.searchParams.has('ack')) return;
    const outstanding = this.log.filter(({ id }) => !this.acknowledged.includes(id));
    if (outstanding.length > 0) socket.send(serialiseMessages(outstanding));
    socket.on('message', (data: Buffer) => {
      if (this.loseNextAcknowledgement) {
        this.loseNextAcknowledgement = false;
        this.drop();
        return;
      }
      const { ack } = JSON.parse(data.toString('utf8')) as { ack: string[] };
      this.acknowledged.push(...ack);
    });
  }
}
