import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { GatewayClient, type GatewayClientOptions } from './gateway-client.js';
import { GatewayAnswerError, GatewayError, GatewayUnreachableError } from './gateway-error.js';

/** A server that answers what a test tells it; the gateway itself is tried with this client in its own tests. */
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let asked: { method?: string; url?: string; authorization?: string; body: string }[];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    asked.push({
      method: request.method,
      url: request.url,
      authorization: request.headers.authorization,
      body,
    });
    answer(request, response);
  });
});
let client: GatewayClient;

const reply = (status: number, body: string): void => {
  answer = (_request, response) => response.writeHead(status).end(body);
};

beforeEach(async () => {
  asked = [];
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = open();
});

/** The usual time is longer than any answer takes, also on a machine with much else to do. */
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

describe('the client of a gateway', () => {
  it('sends a message with its credentials, to the path that the gateway stands behind', async () => {
    reply(200, '{"id":"7"}');
    const message = { fqcn: 'c', topic: 't', payload: 'p', transactionId: 'x' };
    expect(await client.sendMessage(message)).toEqual({ id: '7' });
    expect(asked).toEqual([
      {
        method: 'POST',
        url: '/behind/api/v1/message',
        // RFC 7617 §2's example.
        authorization: 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
        body: JSON.stringify(message),
      },
    ]);
  });

  it('reads messages to the digit', async () => {
    reply(
      200,
      '[{"id":"1","fqcn":"c","payload":"p","signature":"s","sender":"d","timestampNanos":1763600702123456789}]',
    );
    const [message] = await client.readMessages({ fqcn: 'c&d', amount: 3, from: '2026-01-01T00:00:00Z' });
    expect(message?.timestampNanos).toBe(1_763_600_702_123_456_789n);
    expect(asked[0]?.url).toBe('/behind/api/v1/message?fqcn=c%26d&amount=3&from=2026-01-01T00%3A00%3A00Z');
  });

  it('tells of messages that were missed, and calls nobody where there are none', async () => {
    const told: unknown[] = [];
    const query = { fqcn: 'c', onGap: (missed: unknown) => void told.push(missed) };
    answer = (_request, response) => response.setHeader('Bus-Gap', 'after="1-a", up-to="7-a"').end('[]');
    expect(await client.readMessages(query)).toEqual([]);
    expect(await client.readMessages({ fqcn: 'c' })).toEqual([]);
    for (const header of ['', 'after="1-a"', 'nonsense']) {
      answer = (_request, response) => response.setHeader('Bus-Gap', header).end('[]');
      await client.readMessages(query);
    }
    expect(told).toEqual([{ fqcn: 'c', after: '1-a', upTo: '7-a' }]);
  });

  it('tells of further messages, and calls nobody where there are none', async () => {
    let told = 0;
    const query = { fqcn: 'c', onMore: () => void (told += 1) };
    answer = (_request, response) => response.setHeader('Bus-More', '?1').end('[]');
    await client.readMessages(query);
    expect(await client.readMessages({ fqcn: 'c' })).toEqual([]);
    answer = (_request, response) => response.setHeader('Bus-More', '?0').end('[]');
    await client.readMessages(query);
    answer = (_request, response) => response.end('[]');
    await client.readMessages(query);
    expect(told).toBe(1);
  });

  it.each([
    [404, 'DSB::CHANNEL_NOT_FOUND', 'CHANNEL_NOT_FOUND'],
    [422, 'BUS::SOMETHING_ELSE', undefined],
    [502, 'BUS::REQUEST_FAILED', 'REQUEST_FAILED'],
    [200, 'SIG::NO_MATCH', 'NO_MATCH'],
  ])('throws what the gateway says with %p %s', async (status, code, kind) => {
    reply(status, JSON.stringify({ err: { code, reason: 'because', additionalInformation: { a: 1 } } }));
    const error: unknown = await client.verifySignature({}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ status, code, kind, reason: 'because', additionalInformation: { a: 1 } });
  });

  it.each([
    ['a page', 200, '<html>'],
    ['an answer of another form', 200, '{"identifier":"7"}'],
    ['an error without its object', 503, 'upstream is away'],
    ['an error with another object', 500, '{"error":"x"}'],
    ['nothing', 200, ''],
  ])('does not believe %s', async (_name, status, body) => {
    reply(status, body);
    await expect(client.sendMessage({ fqcn: 'c', payload: 'p' })).rejects.toThrow(GatewayAnswerError);
  });

  it('takes an empty answer for health', async () => {
    reply(200, '');
    await expect(client.health()).resolves.toBeUndefined();
  });

  it.each<[string, typeof answer]>([
    ['never answers', () => undefined],
    ['hangs up', (request) => request.socket.destroy()],
    ['stops in the middle', (_request, response) => response.writeHead(200).write('{"id":')],
  ])('says that a gateway which %s is unreachable', async (_name, behaviour) => {
    answer = behaviour;
    const impatient = open({ timeoutMs: 500 });
    const sent = impatient.sendMessage({ fqcn: 'c', payload: 'p' });
    await expect(sent).rejects.toThrow(GatewayUnreachableError);
    await impatient.close();
  });

  it('waits no longer in the queue of its own connections than for an answer', async () => {
    answer = () => undefined;
    const narrow = open({ timeoutMs: 2_000, connections: 1 });
    const started = performance.now();
    const asks = Array.from({ length: 10 }, () => narrow.health().catch((error: unknown) => error));
    for (const error of await Promise.all(asks)) expect(error).toBeInstanceOf(GatewayUnreachableError);
    expect(performance.now() - started).toBeLessThan(10_000); // one after the other they would take twenty seconds
    await narrow.close();
  });

  it('says so when nobody listens', async () => {
    await new Promise((resolve) => server.close(resolve));
    await expect(client.health()).rejects.toThrow(GatewayUnreachableError);
  });

  it('names the gateway without the password that its address holds', async () => {
    const { port } = server.address() as AddressInfo;
    const named = open({ baseUrl: `http://somebody:s3cret@127.0.0.1:${port}/behind` });
    await new Promise((resolve) => server.close(resolve));
    const error: unknown = await named.health().catch((reason: unknown) => reason);
    await named.close();
    expect(String(error)).toContain(`the gateway at http://127.0.0.1:${port}/behind:`);
    expect(inspect(error, { depth: 10 })).not.toMatch(/s3cret|somebody/);
  });
});

describe('a client that may try again', () => {
  let patient: GatewayClient;

  beforeEach(() => {
    patient = open({ retries: { attempts: 3, longestPauseMs: 5 } });
  });

  afterEach(() => patient.close());

  const failTwice = (): void => {
    answer = (_request, response) => {
      const failed = asked.length < 3;
      const body = failed ? '{"err":{"code":"DSB::REQUEST_FAILED","reason":"down"}}' : '{"id":"7"}';
      response.writeHead(failed ? 502 : 200).end(body);
    };
  };

  it('sends a message again that has a transactionId, the same to the byte', async () => {
    failTwice();
    const message = { fqcn: 'c', payload: 'p', transactionId: 'x' };
    expect(await patient.sendMessage(message)).toEqual({ id: '7' });
    expect(asked.map(({ body }) => body)).toEqual(
      [message, message, message].map((each) => JSON.stringify(each)),
    );
  });

  it('never sends a message again that has none: it might be there twice', async () => {
    failTwice();
    await expect(patient.sendMessage({ fqcn: 'c', payload: 'p' })).rejects.toMatchObject({
      kind: 'REQUEST_FAILED',
    });
    expect(asked).toHaveLength(1);
  });

  it('never reads a page again that moved the position: it might be lost', async () => {
    answer = (_request, response) =>
      asked.length === 1 ? response.writeHead(200).write('[') && response.destroy() : response.end('[]');
    await expect(patient.readMessages({ fqcn: 'c' })).rejects.toThrow(GatewayUnreachableError);
    expect(asked).toHaveLength(1);
    asked = [];
    expect(await patient.readMessages({ fqcn: 'c', from: '2026-01-01T00:00:00Z' })).toEqual([]);
    expect(asked).toHaveLength(2);
  });

  it('gives up at once when the gateway asks for more patience than it has', async () => {
    answer = (_request, response) =>
      response
        .writeHead(429, { 'retry-after': '60' })
        .end('{"err":{"code":"REQ::TOO_MANY_REQUESTS","reason":"slow down"}}');
    await expect(patient.channels()).rejects.toMatchObject({ retryAfterMs: 60_000 });
    expect(asked).toHaveLength(1);
  });

  it('does not read an answer to its end that is larger than any may be', async () => {
    const megabyte = ' '.repeat(1_048_576);
    answer = (_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(megabyte));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    await expect(patient.channels()).rejects.toBeInstanceOf(GatewayAnswerError);
  });
});
