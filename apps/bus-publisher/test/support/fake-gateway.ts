import { once } from 'node:events';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Channel, Enrolment, SendMessage } from '@ssb/bus';
import { freePort } from '@ssb/dev/free-ports';
import { waitForClosedPort } from '@ssb/testing';

export interface GatewayReply {
  readonly status: number;
  readonly body: unknown;
}

/** Accepts the message and gives it a new id. */
export const ACCEPT: GatewayReply = { status: 200, body: undefined };

export const GATEWAY_DID = `did:ethr:0x${'a'.repeat(40)}`;

export const enrolment = (ready: boolean): Enrolment => ({
  did: GATEWAY_DID,
  state: {
    ready,
    waiting: !ready,
    roles: { user: ready ? 'APPROVED' : 'AWAITING_APPROVAL', messagebroker: 'NOT_WANTED' },
  },
});

/** A gateway (document 002) with scripted replies that records the messages it receives. */
export class FakeGateway {
  readonly received: SendMessage[] = [];
  authorization: string | undefined;
  /** How far the gateway's clock is ahead, milliseconds. */
  clockAheadMs = 0;
  /** The reply to the n-th message of a channel, from 1. Operational alerts have a channel of their own. */
  reply: (count: number, fqcn: string) => GatewayReply | Promise<GatewayReply> = () => ACCEPT;
  /** The only accepted password, unless `nextPassword` is set. */
  password = 'password';
  /** Accepted too, while the password is rotated. */
  nextPassword: string | undefined;
  /** Requests with another password. */
  refused = 0;
  enrolment: GatewayReply = { status: 200, body: enrolment(true) };
  channels: Channel[];
  /** Requests for channels or enrolment. */
  accessRequests = 0;
  /** HTTPS when set before `start`. */
  tls: ServerOptions | undefined;
  private server: Server | undefined;
  private port = 0;

  constructor(...fqcn: string[]) {
    this.channels = fqcn.map((name) => ({ fqcn: name, publishers: [GATEWAY_DID] }));
  }

  get url(): string {
    return `${this.tls === undefined ? 'http' : 'https'}://127.0.0.1:${this.port}`;
  }

  /** Listens; after `stop` again on the same port. */
  async start(): Promise<void> {
    const serve = (request: IncomingMessage, response: ServerResponse): void =>
      void this.serve(request, response);
    const server = this.tls === undefined ? createServer(serve) : createTlsServer(this.tls, serve);
    this.port ||= await freePort();
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.server = server;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    server.close();
    await waitForClosedPort(this.port);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('date', new Date(Date.now() + this.clockAheadMs).toUTCString());
    if (request.url === '/api/health') {
      response.writeHead(200).end();
      return;
    }
    if (request.url !== '/api/v1/message') this.accessRequests += 1;
    const accepted = [this.password, this.nextPassword].map(
      (each) => `Basic ${Buffer.from(`bridge:${each}`).toString('base64')}`,
    );
    if (!accepted.includes(request.headers.authorization ?? '')) {
      this.refused += 1;
      return send(response, { status: 401, body: { err: { code: 'REQ::UNAUTHENTICATED', reason: 'no' } } });
    }
    if (request.url === '/api/v1/channels') return send(response, { status: 200, body: this.channels });
    if (request.url === '/api/v1/config/enrol') return send(response, this.enrolment);
    this.authorization = request.headers.authorization;
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const message = JSON.parse(Buffer.concat(chunks).toString('utf8')) as SendMessage;
    this.received.push(message);
    const id = `message-${this.received.length}`;
    const { length: count } = this.received.filter(({ fqcn }) => fqcn === message.fqcn);
    const { status, body } = await this.reply(count, message.fqcn);
    send(response, { status, body: body ?? { id } });
  }
}

function send(response: ServerResponse, { status, body }: GatewayReply): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
