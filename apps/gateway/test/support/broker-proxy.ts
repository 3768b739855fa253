import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';

export interface ProxiedRequest {
  readonly path: string;
  /** JSON; undefined without a body. */
  readonly body: unknown;
  readonly headers: Record<string, string>;
}

/** Decides about a request, and may change its headers. A rejection ends the connection without a response. */
export type Interceptor = (request: ProxiedRequest) => Promise<'forward' | 'not-found'>;

/** A proxy between gateway and broker that records requests and can delay, change or refuse them. */
export interface BrokerProxy {
  readonly url: string;
  readonly requests: ProxiedRequest[];
  intercept: Interceptor;
  stop(): Promise<void>;
}

export const FORWARD: Interceptor = () => Promise.resolve('forward');

export async function startBrokerProxy(brokerUrl: string): Promise<BrokerProxy> {
  const pool = new Pool(brokerUrl);
  const requests: ProxiedRequest[] = [];
  const proxy = { requests, intercept: FORWARD };
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await textOf(request);
    const { authorization, 'content-type': type } = request.headers;
    const headers = {
      ...(authorization !== undefined && { authorization }),
      ...(type !== undefined && { 'content-type': type }),
    };
    const proxied = {
      path: request.url ?? '',
      headers,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
    };
    requests.push(proxied);
    if ((await proxy.intercept(proxied)) === 'not-found') {
      response
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"err":{"code":"BUS::NOT_FOUND","reason":"-"}}');
      return;
    }
    const {
      statusCode,
      headers: responseHeaders,
      body,
    } = await pool.request({
      method: request.method === 'POST' ? 'POST' : 'GET',
      path: proxied.path,
      headers,
      ...(text !== '' && { body: text }),
    });
    for (const [name, value] of Object.entries(responseHeaders)) {
      if (name.startsWith('bus-') && value !== undefined) response.setHeader(name, value);
    }
    response.writeHead(statusCode, { 'content-type': 'application/json' }).end(await body.text());
  };
  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(proxy, {
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
