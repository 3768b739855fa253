import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';

/** The text of an answer's `data`; a number stands for that status without a body, `later` for a 429 with that `Retry-After` in seconds. */
export type Answer = string | number | { readonly later: number };

/** A market of fixed answers on a real port: token service and reporting API in one. What has no answer is 404. */
export class SmallMarket {
  /** By path, without the query; written as JSON text so that no digit is lost on the way into the test. */
  readonly answers = new Map<string, Answer>();
  /** Paths asked for, with their query, in order. */
  readonly asked: string[] = [];
  /** Common names of the client certificates shown with them; '' where none was. */
  readonly callers: string[] = [];
  /** While set, answers are held back until it resolves. */
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
        this.asked.push(request.url ?? '');
        const { socket } = request;
        const caller = socket instanceof TLSSocket ? socket.getPeerCertificate().subject : undefined;
        this.callers.push(String(caller?.CN ?? ''));
        const answer = this.answers.get(pathname) ?? 404;
        if (typeof answer === 'number') response.writeHead(answer).end();
        else if (typeof answer === 'object')
          response.writeHead(429, { 'retry-after': String(answer.later) }).end();
        else response.writeHead(200, { 'content-type': 'text/plain' }).end(`{"data":${answer}}`);
      });
    };
    // Whom to let in is not the subject here: whatever certificate is shown is taken, and remembered.
    this.server =
      tls === undefined
        ? createServer(listener)
        : createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: false }, listener);
  }

  static async start(tls?: { readonly cert: string; readonly key: string }): Promise<SmallMarket> {
    const market = new SmallMarket(tls);
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
