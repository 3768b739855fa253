import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';

export interface PassedRequest {
  readonly path: string;
  /** JSON; undefined without a body. */
  readonly body: unknown;
  readonly headers: Record<string, string>;
}

/** What happens to a request on its way: it is passed on when this resolves, with its headers as they are then. */
export type OnItsWay = (request: PassedRequest) => Promise<'pass' | 'unknown'>;

/** Stands between a gateway and the real broker: notes what is asked, and may hold a request back or know less than the broker. */
export interface WatchedBroker {
  readonly url: string;
  /** Since the last `forget`. */
  readonly requests: PassedRequest[];
  onItsWay: OnItsWay;
  stop(): Promise<void>;
}

const PASS: OnItsWay = () => Promise.resolve('pass');

export async function watchBroker(brokerUrl: string): Promise<WatchedBroker> {
  const pool = new Pool(brokerUrl);
  const requests: PassedRequest[] = [];
  const watched = { requests, onItsWay: PASS };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await textOf(request);
    const { authorization, 'content-type': type } = request.headers;
    const headers = {
      ...(authorization !== undefined && { authorization }),
      ...(type !== undefined && { 'content-type': type }),
    };
    const passed = {
      path: request.url ?? '',
      headers,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
    };
    requests.push(passed);
    if ((await watched.onItsWay(passed)) === 'unknown') {
      response
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"err":{"code":"BUS::NOT_FOUND","reason":"-"}}');
      return;
    }
    const {
      statusCode,
      headers: told,
      body,
    } = await pool.request({
      method: request.method === 'POST' ? 'POST' : 'GET',
      path: passed.path,
      headers,
      ...(text !== '' && { body: text }),
    });
    for (const [name, value] of Object.entries(told)) {
      if (name.startsWith('bus-') && value !== undefined) response.setHeader(name, value);
    }
    response.writeHead(statusCode, { 'content-type': 'application/json' }).end(await body.text());
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(watched, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await pool.destroy();
    },
  });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
