import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';

/** A 200 with these bytes. */
interface FileResponse {
  readonly file: Uint8Array;
  /** Default `application/pdf`. */
  readonly type?: string;
  /** The connection ends after so many bytes. */
  readonly endAfter?: number;
}

/** The `data` of a response as JSON text, a status without a body, a 429 with `Retry-After`, or a file. */
export type MarketResponse = string | number | { readonly retryAfterSeconds: number } | FileResponse;

/** A response that is decided when a request arrives. */
type ResponseOnRequest = () => Promise<MarketResponse>;

/** Certificate and key of the server. With `ca`, the handshake refuses client certificates of other authorities. */
interface MarketTls {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
}

/** What operations 1 and 10 respond when there is nothing. */
const EMPTY_LISTS: ReadonlyMap<string, string> = new Map([
  ['/api/v2/prudential', '[]'],
  ['/api/v2/settlements/timeline', '{"cycles":[]}'],
]);

function sendFile(
  response: ServerResponse,
  { file, type = 'application/pdf', endAfter }: FileResponse,
): void {
  response.writeHead(200, { 'content-type': type, 'content-length': file.length });
  if (endAfter === undefined) response.end(file);
  else response.write(file.subarray(0, endAfter), () => response.destroy());
}

/** Token service and reporting API in one server with fixed responses. Lists without a response are empty, other paths get 404. */
export class FakeMarket {
  /** By path without the query, or by client id, blank and path. JSON text keeps every digit. */
  readonly responses = new Map<string, MarketResponse | ResponseOnRequest>();
  /** Requested paths with their query, in order. */
  readonly requests: string[] = [];
  /** Common name of the client certificate of each request; '' without one. */
  readonly callers: string[] = [];
  /** Client id of each request, and when it arrived by the clock of `performance`. */
  readonly clients: { readonly clientId: string; readonly path: string; readonly at: number }[] = [];
  /** The secrets of the accounts; any secret is right when it has no entry. */
  readonly secrets = new Map<string, string>();
  /** Status of the token service's responses; 200 issues a token. */
  tokenStatus = 200;
  /** How far the market's clock is ahead, milliseconds. */
  clockAheadMs = 0;
  /** Responses wait for this promise. */
  gate: Promise<void> = Promise.resolve();
  private readonly server: Server;

  private constructor(private readonly tls?: MarketTls) {
    const listener: RequestListener = (request, response) => {
      void this.gate.then(async () => {
        response.setHeader('date', new Date(Date.now() + this.clockAheadMs).toUTCString());
        const { pathname } = new URL(request.url ?? '/', 'http://market');
        if (pathname === '/oauth/v1/token') {
          if (this.tokenStatus !== 200) {
            response.writeHead(this.tokenStatus).end('{"error":"invalid_client"}');
            return;
          }
          const form = new URLSearchParams(await text(request).catch(() => ''));
          const [id = '', secret] = [form.get('client_id') ?? undefined, form.get('client_secret')];
          if ((this.secrets.get(id) ?? secret) !== secret) {
            response.writeHead(401).end('{"error":"invalid_client"}');
            return;
          }
          // The token names its account.
          response.end(JSON.stringify({ access_token: id, token_type: 'Bearer', expires_in: 3600 }));
          return;
        }
        this.requests.push(request.url ?? '');
        const clientId = (request.headers.authorization ?? '').replace('Bearer ', '');
        this.clients.push({ clientId, path: pathname, at: performance.now() });
        const { socket } = request;
        const caller = socket instanceof TLSSocket ? socket.getPeerCertificate().subject : undefined;
        this.callers.push(String(caller?.CN ?? ''));
        const found =
          this.responses.get(`${clientId} ${pathname}`) ??
          this.responses.get(pathname) ??
          EMPTY_LISTS.get(pathname) ??
          404;
        const served = typeof found === 'function' ? await found() : found;
        if (typeof served === 'number') response.writeHead(served).end();
        else if (typeof served === 'object' && 'file' in served) sendFile(response, served);
        else if (typeof served === 'object')
          response.writeHead(429, { 'retry-after': String(served.retryAfterSeconds) }).end();
        else response.writeHead(200, { 'content-type': 'text/plain' }).end(`{"data":${served}}`);
      });
    };
    this.server =
      tls === undefined
        ? createServer(listener)
        : createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: tls.ca !== undefined }, listener);
  }

  static async start(tls?: MarketTls): Promise<FakeMarket> {
    const market = new FakeMarket(tls);
    market.server.listen(0, '127.0.0.1');
    await once(market.server, 'listening');
    return market;
  }

  get url(): string {
    return `${this.tls === undefined ? 'http' : 'https'}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    // A handshake that has begun becomes a connection later, and a poller would keep it open.
    const timer = setInterval(() => this.server.closeAllConnections(), 10);
    await closed;
    clearInterval(timer);
  }
}
