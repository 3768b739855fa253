import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { SendMessage } from '@ssb/bus';
import { freePort } from '@ssb/free-ports';
import { waitForClosedPort } from '@ssb/testing';

export interface GatewayReply {
  readonly status: number;
  readonly body: unknown;
}

/** Accepts the message and gives it a new id. */
export const ACCEPT: GatewayReply = { status: 200, body: undefined };

/** A gateway (document 002) with scripted replies that records the messages it receives. */
export class FakeGateway {
  readonly received: SendMessage[] = [];
  authorization: string | undefined;
  /** The reply to the n-th message, from 1. */
  reply: (count: number) => GatewayReply | Promise<GatewayReply> = () => ACCEPT;
  private server: Server | undefined;
  private port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Listens; after `stop` again on the same port. */
  async start(): Promise<void> {
    const server = createServer((request, response) => void this.serve(request, response));
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
    if (request.url === '/api/health') {
      response.writeHead(200).end();
      return;
    }
    this.authorization = request.headers.authorization;
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    this.received.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as SendMessage);
    const count = this.received.length;
    const { status, body } = await this.reply(count);
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(body ?? { id: `message-${count}` }));
  }
}
