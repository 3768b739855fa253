import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { GatewayClient, type GatewayClientOptions } from './gateway-client.js';
import { GatewayError, GatewayUnreachableError, InvalidGatewayResponseError } from './gateway-errors.js';

/** A server whose responses a test sets. The gateway's own tests use this client too. */
let respond: (request: IncomingMessage, response: ServerResponse) => void;
let requests: { method?: string; url?: string; authorization?: string; body: string }[];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    requests.push({
      method: request.method,
      url: request.url,
      authorization: request.headers.authorization,
      body,
    });
    respond(request, response);
  });
});
let client: GatewayClient;

const reply = (status: number, body: string): void => {
  respond = (_request, response) => response.writeHead(status).end(body);
};

beforeEach(async () => {
  requests = [];
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = open();
});

/** The timeout is longer than any response takes on a busy machine. */
function open(options: Partial<GatewayClientOptions> = {}): GatewayClient {
  const { port } = server.address() as AddressInfo;
  return new GatewayClient({
    baseUrl: `http://127.0.0.1:${port}/behind/`,
    username: 'Aladdin',
    password: 'open sesame',
    timeoutMs: 30_000,
    ...options,
  });
}

afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  if (server.listening) await new Promise((resolve) => server.close(resolve));
});

describe('GatewayClient', () => {
  it('sends a message with its credentials to the path of the base URL', async () => {
    reply(200, '{"id":"7"}');
    const message = { fqcn: 'c', topic: 't', payload: 'p', transactionId: 'x' };
    expect(await client.sendMessage(message)).toEqual({ id: '7' });
    expect(requests).toEqual([
      {
        method: 'POST',
        url: '/behind/api/v1/message',
        // The example of RFC 7617 §2.
        authorization: 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
        body: JSON.stringify(message),
      },
    ]);
  });

  it('reads messages with every digit', async () => {
    reply(
      200,
      '[{"id":"1","fqcn":"c","payload":"p","signature":"s","sender":"d","timestampNanos":1763600702123456789}]',
    );
    const [message] = await client.readMessages({ fqcn: 'c&d', amount: 3, from: '2026-01-01T00:00:00Z' });
    expect(message?.timestampNanos).toBe(1_763_600_702_123_456_789n);
    expect(requests[0]?.url).toBe('/behind/api/v1/message?fqcn=c%26d&amount=3&from=2026-01-01T00%3A00%3A00Z');
  });

  it('calls onGap only when messages were missed', async () => {
    const gaps: unknown[] = [];
    const query = { fqcn: 'c', onGap: (missed: unknown) => void gaps.push(missed) };
    respond = (_request, response) => response.setHeader('Bus-Gap', 'after="1-a", up-to="7-a"').end('[]');
    expect(await client.readMessages(query)).toEqual([]);
    expect(await client.readMessages({ fqcn: 'c' })).toEqual([]);
    for (const header of ['after="1-a"', 'nonsense']) {
      respond = (_request, response) => response.setHeader('Bus-Gap', header).end('[]');
      await client.readMessages(query);
    }
    expect(gaps).toEqual([{ fqcn: 'c', after: '1-a', upTo: '7-a' }]);
  });

  it('calls onMore only when there are more messages', async () => {
    let calls = 0;
    const query = { fqcn: 'c', onMore: () => void (calls += 1) };
    respond = (_request, response) => response.setHeader('Bus-More', '?1').end('[]');
    await client.readMessages(query);
    expect(await client.readMessages({ fqcn: 'c' })).toEqual([]);
    respond = (_request, response) => response.setHeader('Bus-More', '?0').end('[]');
    await client.readMessages(query);
    respond = (_request, response) => response.end('[]');
    await client.readMessages(query);
    expect(calls).toBe(1);
  });

  it.each([
    [404, 'DSB::CHANNEL_NOT_FOUND', 'CHANNEL_NOT_FOUND'],
    [422, 'BUS::SOMETHING_ELSE', undefined],
    [502, 'BUS::REQUEST_FAILED', 'REQUEST_FAILED'],
    [200, 'SIG::NO_MATCH', 'NO_MATCH'],
  ])('throws the error of the gateway for %p %s', async (status, code, kind) => {
    reply(status, JSON.stringify({ err: { code, reason: 'because', additionalInformation: { a: 1 } } }));
    const error: unknown = await client.verifySignature({}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ status, code, kind, reason: 'because', additionalInformation: { a: 1 } });
  });

  it('regards the empty response of a gateway as no confirmation of a signature', async () => {
    reply(200, '');
    expect(await client.verifySignature({ payload: 'p' })).toBe(false);
    reply(200, '{"ok":true}');
    expect(await client.verifySignature({ payload: 'p' })).toBe(true);
  });

  it.each([
    ['an HTML page', 200, '<html>'],
    ['a body of another form', 200, '{"identifier":"7"}'],
    ['an error without its object', 503, 'upstream is away'],
    ['an error with another object', 500, '{"error":"x"}'],
    ['an empty body', 200, ''],
  ])('refuses %s', async (_name, status, body) => {
    reply(status, body);
    await expect(client.sendMessage({ fqcn: 'c', payload: 'p' })).rejects.toThrow(
      InvalidGatewayResponseError,
    );
  });

  it('accepts an empty response for health', async () => {
    reply(200, '');
    await expect(client.health()).resolves.toBeUndefined();
  });

  it.each<[string, typeof respond]>([
    ['never responds', () => undefined],
    ['closes the connection', (request) => request.socket.destroy()],
    ['stops in the middle of a response', (_request, response) => response.writeHead(200).write('{"id":')],
  ])('throws GatewayUnreachableError for a gateway that %s', async (_name, behaviour) => {
    respond = behaviour;
    const shortTimeout = open({ timeoutMs: 500 });
    const sent = shortTimeout.sendMessage({ fqcn: 'c', payload: 'p' });
    await expect(sent).rejects.toThrow(GatewayUnreachableError);
    await shortTimeout.close();
  });

  it('reports the clock of the gateway for each response, failures included', async () => {
    const remoteTimes: number[] = [];
    await client.close();
    client = open({ onClockReading: ({ remoteTime }) => void remoteTimes.push(remoteTime) });
    for (const status of [200, 503]) {
      respond = (_request, response) =>
        response.writeHead(status, { date: 'Sun, 06 Nov 1994 08:49:37 GMT' }).end();
      await client.health().catch(() => undefined);
    }
    // The moment as `date -u -d '1994-11-06 08:49:37' +%s` gives it.
    expect(remoteTimes).toEqual([784_111_777_000, 784_111_777_000]);
  });

  it('applies the timeout to the wait for a connection as well', async () => {
    respond = () => undefined;
    const oneConnection = open({ timeoutMs: 2_000, connections: 1 });
    const started = performance.now();
    const calls = Array.from({ length: 10 }, () => oneConnection.health().catch((error: unknown) => error));
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(GatewayUnreachableError);
    expect(performance.now() - started).toBeLessThan(10_000); // in sequence they would take twenty seconds
    await oneConnection.close();
  });

  it('names the gateway in errors without the password of its address', async () => {
    const { port } = server.address() as AddressInfo;
    const named = open({ baseUrl: `http://urluser:s3cret@127.0.0.1:${port}/behind` });
    await new Promise((resolve) => server.close(resolve));
    const error: unknown = await named.health().catch((reason: unknown) => reason);
    await named.close();
    expect(error).toBeInstanceOf(GatewayUnreachableError);
    expect(String(error)).toContain(`the gateway at http://127.0.0.1:${port}/behind:`);
    expect(inspect(error, { depth: 10 })).not.toMatch(/s3cret|urluser/);
  });
});

describe('GatewayClient with retries', () => {
  let retrying: GatewayClient;

  beforeEach(() => {
    retrying = open({ retries: { attempts: 3, maxDelayMs: 5 } });
  });

  afterEach(() => retrying.close());

  const failTwice = (): void => {
    respond = (_request, response) => {
      const failed = requests.length < 3;
      const body = failed ? '{"err":{"code":"DSB::REQUEST_FAILED","reason":"down"}}' : '{"id":"7"}';
      response.writeHead(failed ? 502 : 200).end(body);
    };
  };

  it('repeats a message with a transactionId, byte for byte', async () => {
    failTwice();
    const message = { fqcn: 'c', payload: 'p', transactionId: 'x' };
    expect(await retrying.sendMessage(message)).toEqual({ id: '7' });
    expect(requests.map(({ body }) => body)).toEqual(
      [message, message, message].map((each) => JSON.stringify(each)),
    );
  });

  it('does not repeat a message without a transactionId, because it could arrive twice', async () => {
    failTwice();
    await expect(retrying.sendMessage({ fqcn: 'c', payload: 'p' })).rejects.toMatchObject({
      kind: 'REQUEST_FAILED',
    });
    expect(requests).toHaveLength(1);
  });

  it('does not repeat a read that moves the offset, because messages could be lost', async () => {
    respond = (_request, response) =>
      requests.length === 1 ? response.writeHead(200).write('[') && response.destroy() : response.end('[]');
    for (const from of [undefined, '2026-01-01T00:00:00Z']) {
      requests = [];
      await expect(retrying.readMessages({ fqcn: 'c', from })).rejects.toThrow(GatewayUnreachableError);
      expect(requests).toHaveLength(1);
    }
  });

  it('gives up at once for a Retry-After over the maximum delay', async () => {
    respond = (_request, response) =>
      response
        .writeHead(429, { 'retry-after': '60' })
        .end('{"err":{"code":"REQ::TOO_MANY_REQUESTS","reason":"slow down"}}');
    await expect(retrying.channels()).rejects.toMatchObject({ retryAfterMs: 60_000 });
    expect(requests).toHaveLength(1);
  });

  it('does not read a response over the maximum size to its end', async () => {
    const megabyte = ' '.repeat(1_048_576);
    respond = (_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(megabyte));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    await expect(retrying.channels()).rejects.toBeInstanceOf(InvalidGatewayResponseError);
  });
});
