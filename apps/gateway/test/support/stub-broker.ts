import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

/** 200 of `POST /auth/login`. */
export const LOGIN_SUCCESS = { token: 't', did: 'did:ethr:0x', address: '0x', signature: '0x' };

/** A server in the place of the broker, for what no real one does. */
export interface StubBroker {
  readonly url: string;
  /** Of the requests so far. */
  readonly paths: string[];
  /** Open and closed streams of the gateway. */
  readonly streams: WebSocket[];
  respond: RequestListener;
  disconnectAll(): void;
  stop(): Promise<void>;
}

export async function startStubBroker(): Promise<StubBroker> {
  const server = createServer((request, response) => {
    stub.paths.push(request.url ?? '');
    stub.respond(request, response);
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => stub.streams.push(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stub: StubBroker = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths: [],
    streams: [],
    respond: () => undefined,
    disconnectAll: () => server.closeAllConnections(),
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return stub;
}

export function respondJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Accepts logins. */
export function afterLogin(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.url === '/auth/login') respondJson(response, 200, LOGIN_SUCCESS);
    else listener(request, response);
  };
}
