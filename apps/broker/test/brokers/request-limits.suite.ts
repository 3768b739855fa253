import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Actor } from '../support/actor.js';
import { Client, makeChannel, user } from '../support/client.js';
import { sendHead, closedAfter } from '../support/raw-request.js';
import { broker } from './shared-brokers.js';

/** The broker holds nothing large, and nothing for long, for a client without permissions. */

const JSON_TYPE = 'Content-Type: application/json';

describe('a body', () => {
  it.each([
    ['POST', '/message'],
    ['POST', '/messages'],
    ['POST', '/channel'],
    ['PATCH', '/channel'],
    ['POST', '/role/claim'],
  ])('of an unauthenticated client is not read at %s %s', async (method, path) => {
    const head = [`${method} ${path} HTTP/1.1`, JSON_TYPE, 'Content-Length: 1000'];
    expect(await sendHead(broker.url, head)).toBe(401);
    expect(await sendHead(broker.url, [...head, 'Authorization: Bearer a.b.c'])).toBe(401);
  });

  it.each([
    ['/message', 'Content-Length: 65537'],
    ['/messages', 'Content-Length: 65537'],
    ['/message', 'Transfer-Encoding: chunked'],
    ['/channel', 'Content-Length: 65537'],
  ])('at %s with %s is not read from a client that is not enrolled', async (path, size) => {
    const client = new Client(broker.url, new Actor());
    const { token } = await client.login();
    const head = [`POST ${path} HTTP/1.1`, JSON_TYPE, size, `Authorization: Bearer ${token}`];
    expect(await sendHead(broker.url, head)).toBe(403);
  });
});

it('a body is refused by the size limit of its path', async () => {
  const client = await user(broker.url, new Actor());
  const fqcn = await makeChannel(broker.url, { maxMsgSize: 8_388_608 });
  const identity = { identityToken: 'x'.repeat(70_000) };
  const login = await client.call('POST', '/auth/login', identity);
  expect([login.status, login.body.err.code]).toEqual([413, 'BUS::TOO_LARGE']);
  const size = JSON.stringify(identity).length;
  expect(login.body.err.additionalInformation).toEqual({ size, limit: 65_536 });
  // Every byte of this payload takes two in JSON. The size is checked before the signature.
  const message = { fqcn, payload: '"'.repeat(8_388_608), signature: '0x00' };
  expect((await client.call('POST', '/message', message)).body.err.code).toBe('BUS::INVALID_SIGNATURE');
});

it('a request that cannot be read, or has no route, gets the error object', async () => {
  const socket = connect(Number(new URL(broker.url).port), '127.0.0.1');
  socket.write('GARBAGE\r\n\r\n');
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 400 [^]*^content-type: application\/json/im);
  expect(JSON.parse(body)).toEqual({ err: { code: 'BUS::INVALID_REQUEST', reason: expect.any(String) } });
  const client = new Client(broker.url, new Actor());
  for (const [path, status, code] of [
    ['/nowhere', 404, 'BUS::NOT_FOUND'],
    ['/%zz', 400, 'BUS::INVALID_REQUEST'],
  ] as const) {
    const response = await client.call('GET', path);
    expect([response.status, response.body.err.code]).toEqual([status, code]);
  }
});

describe('a refused upgrade', () => {
  const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket'];

  it.each(['//', '/stream/', 'http://[', '/%zz', '*'])('at %s is a 404', async (path) => {
    expect(await sendHead(broker.url, [`GET ${path} HTTP/1.1`, ...UPGRADE])).toBe(404);
  });

  it('closes the connection, also when the client keeps its side open', async () => {
    await expect(closedAfter(broker.url, ['GET /stream HTTP/1.1', ...UPGRADE])).resolves.toBeUndefined();
  });
});

it('HEAD moves no offset', async () => {
  const client = await user(broker.url, new Actor());
  const fqcn = await makeChannel(broker.url);
  await client.post(fqcn, 'a');
  expect((await client.call('HEAD', `/message?fqcn=${fqcn}`)).status).toBe(405);
  expect((await client.read(fqcn)).body).toHaveLength(1);
});
