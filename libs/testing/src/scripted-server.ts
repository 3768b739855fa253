import { type IncomingHttpHeaders, type RequestListener, type Server, createServer } from 'node:http';
import { type ServerOptions, createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';

export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Common name of the client certificate, where one was shown. */
  readonly caller: string | string[] | undefined;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

/** A real HTTP(S) server on a free loopback port. The test scripts its responses and reads the requests. */
export interface ScriptedServer {
  readonly url: string;
  readonly received: Received[];
  /** Creates the next responses; `undefined` leaves a request without one. */
  respond: (request: Received, count: number) => Reply | undefined | Promise<Reply | undefined>;
  stop(): Promise<void>;
}

export async function startScriptedServer(tls?: ServerOptions): Promise<ScriptedServer> {
  const listener: RequestListener = (request, response) => {
    void (async () => {
      const body = await text(request).catch(() => undefined);
      // The client has left before the end of its request.
      if (body === undefined) return;
      const { method, url, headers, socket } = request;
      const subject = socket instanceof TLSSocket ? socket.getPeerCertificate().subject : undefined;
      const received = { method, url, headers, body, caller: subject?.CN };
      scripted.received.push(received);
      const reply = await scripted.respond(received, scripted.received.length);
      if (reply === undefined) return;
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
      response.end(reply.body ?? '');
    })();
  };
  const server: Server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const scripted: ScriptedServer = {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    received: [],
    respond: () => ({ status: 500 }),
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
  return scripted;
}
