import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';

/** The `data` of an answer as JSON text, a status without a body, or a 429 with `Retry-After`. */
export type Answer = string | number | { readonly retryAfterSeconds: number };

/** Token service and reporting API in one server with fixed answers. A path without an answer gets 404. */
export class FakeMarket {
  /** By path, without the query. JSON text keeps every digit. */
  readonly answers = new Map<string, Answer>();
  /** Requested paths with their query, in order. */
  readonly requests: string[] = [];
  /** Common name of the client certificate of each request; '' without one. */
  readonly callers: string[] = [];
  /** Answers wait for this promise. */
  gate: Promise<void> = Promise.resolve();
  private readonly server: Server;

  private constructor(private readonly tls?: { readonly cert: string; readonly key: string }) {
    const listener: RequestListener = (request, response) => {
      void this.gate.then(() => {
        const { pathname } = new URL(request.url ?? '/', 'http://market');
        if (pathname === '/oauth/v1/token') {
          response.end(JSON.stringify({ access_token: 'a', token_type: 'Bearer', expires_in: 3600 }));
          return;
        }
        this.requests.push(request.url ?? '');
        const { socket } = request;
        const caller = socket instanceof TLSSocket ? socket.getPeerCertificate().subject : undefined;
        this.callers.push(String(caller?.CN ?? ''));
        const answer = this.answers.get(pathname) ?? 404;
        if (typeof answer === 'number') response.writeHead(answer).end();
        else if (typeof answer === 'object')
          response.writeHead(429, { 'retry-after': String(answer.retryAfterSeconds) }).end();
        else response.writeHead(200, { 'content-type': 'text/plain' }).end(`{"data":${answer}}`);
      });
    };
    // Any client certificate is accepted and recorded: authorization is not under test here.
    this.server =
      tls === undefined
        ? createServer(listener)
        : createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: false }, listener);
  }

  static async start(tls?: { readonly cert: string; readonly key: string }): Promise<FakeMarket> {
    const market = new FakeMarket(tls);
    market.server.listen(0, '127.0.0.1');
    await once(market.server, 'listening');
    return market;
  }

  get url(): string {
    return `${this.tls === undefined ? 'http' : 'https'}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
