import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BusMessage } from '@ssb/testing/signed-messages';
import { WebSocketServer, type WebSocket } from 'ws';

/** A frame of `/events` with messages. */
export function messagesFrame(...messages: readonly BusMessage[]): string {
  const texts = messages.map(({ timestampNanos, ...rest }) =>
    JSON.stringify(rest).replace(/}$/, `,"timestampNanos":${timestampNanos}}`),
  );
  return `[${texts.join(',')}]`;
}

/** One connection of a consumer. */
export class GatewayConnection {
  /** Ids that the consumer acknowledged, in order. */
  readonly acknowledged: string[] = [];

  constructor(
    readonly request: IncomingMessage,
    readonly socket: WebSocket,
  ) {
    socket.on('message', (data: Buffer) =>
      this.acknowledged.push(...(JSON.parse(data.toString()) as { ack: string[] }).ack),
    );
  }

  get query(): URLSearchParams {
    return new URL(this.request.url ?? '', 'ws://gateway').searchParams;
  }

  send(...messages: readonly BusMessage[]): void {
    this.socket.send(messagesFrame(...messages));
  }
}

/** A WebSocket server in place of a gateway, which says what a test wants. The system tests use a real gateway. */
export class ScriptedGateway {
  readonly connections: GatewayConnection[] = [];
  /** Password without which upgrades are refused with 401. */
  password: string | undefined;
  /** Status and body with which upgrades are refused. */
  refusal: { readonly status: number; readonly err: object } | undefined;
  /** Number of refused upgrades. */
  refused = 0;
  private readonly webSockets = new WebSocketServer({
    noServer: true,
    handleProtocols: ([first]) => first ?? false,
  });

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ScriptedGateway> {
    const server = createServer();
    const gateway = new ScriptedGateway(server);
    server.on('upgrade', (request, socket, head) => {
      const refusal = gateway.refusal ?? gateway.checkPassword(request);
      if (refusal !== undefined) {
        const { status, err } = refusal;
        gateway.refused += 1;
        const body = JSON.stringify({ err });
        const lines = [`HTTP/1.1 ${status} Refused`, `content-length: ${body.length}`, 'connection: close'];
        return socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
      }
      gateway.webSockets.handleUpgrade(request, socket, head, (webSocket) =>
        gateway.connections.push(new GatewayConnection(request, webSocket)),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return gateway;
  }

  private checkPassword({ headers }: IncomingMessage): ScriptedGateway['refusal'] {
    const [, credentials = ''] = headers.authorization?.split(' ') ?? [];
    const sent = Buffer.from(credentials, 'base64').toString().split(':')[1];
    if (this.password === undefined || sent === this.password) return undefined;
    return { status: 401, err: { code: 'REQ::UNAUTHENTICATED', reason: 'no' } };
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The newest connection. @throws Error without one */
  get last(): GatewayConnection {
    const last = this.connections.at(-1);
    if (last === undefined) throw new Error('no consumer has connected');
    return last;
  }

  async stop(): Promise<void> {
    for (const { socket } of this.connections) socket.terminate();
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}
