import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { EVENTS_PATH, EVENTS_PROTOCOL, serialiseMessages, type Message, type MissedMessages } from '@ssb/bus';
import { WebSocketServer, type WebSocket } from 'ws';

export const USERNAME = 'subscriber';
export const PASSWORD = 'a password of the tests';

/** A gateway's `/events` in reliable mode. It delivers messages that are not acknowledged again on the next connection. */
export class FakeGateway {
  /** Ids in order of acknowledgement. */
  readonly acknowledged: string[] = [];
  /** URL of each connection. */
  readonly connections: URL[] = [];
  /** Closes the connection instead of recording the next acknowledgement, once. */
  loseNextAcknowledgement = false;
  private readonly log: Message[] = [];
  private readonly server;
  private readonly scheme: string;
  private readonly sockets: WebSocketServer;
  private socket: WebSocket | undefined;

  constructor({ protocol = EVENTS_PROTOCOL, tls }: { protocol?: string; tls?: ServerOptions } = {}) {
    this.scheme = tls === undefined ? 'http' : 'https';
    this.server = tls === undefined ? createServer() : createTlsServer(tls);
    this.sockets = new WebSocketServer({
      server: this.server,
      path: EVENTS_PATH,
      handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
      verifyClient: ({ req }: { req: IncomingMessage }) =>
        req.headers.authorization === `Basic ${Buffer.from(`${USERNAME}:${PASSWORD}`).toString('base64')}`,
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

  /** Closes the connection; the subscriber connects again. */
  drop(): void {
    this.socket?.terminate();
    this.socket = undefined;
  }

  private connected(socket: WebSocket, request: IncomingMessage): void {
    this.connections.push(new URL(request.url ?? '', 'http://gateway'));
    this.socket = socket;
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
