import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { BodyTooLargeError } from './limits.js';
import { readResponse, UnreadableEncodingError } from './read-response.js';

const TEXT = 'größer als null';
let server: Server;
let reply: { readonly encoding?: string; readonly body: Uint8Array };

beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(200, reply.encoding === undefined ? {} : { 'content-encoding': reply.encoding });
    response.end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function read(encoding: string | undefined, body: Uint8Array, maxBytes = 1_000): Promise<string> {
  reply = { body, ...(encoding !== undefined && { encoding }) };
  const { port } = server.address() as AddressInfo;
  const request = get({ host: '127.0.0.1', port, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return String(await readResponse({ headers: response.headers, body: response }, maxBytes));
}

it.each([
  ['no encoding', undefined, Buffer.from(TEXT)],
  ['identity', 'identity', Buffer.from(TEXT)],
  ['gzip', 'gzip', gzipSync(TEXT)],
  ['gzip in capital letters', 'GZIP', gzipSync(TEXT)],
  ['deflate', 'deflate', deflateSync(TEXT)],
  ['Brotli', 'br', brotliCompressSync(TEXT)],
])('reads a body with %s', async (_, encoding, body) => {
  expect(await read(encoding, body)).toBe(TEXT);
});

it('bounds the decoded body', async () => {
  const bomb = gzipSync(Buffer.alloc(5_000_000));
  await expect(read('gzip', bomb, 6_000)).rejects.toThrow(BodyTooLargeError);
});

it.each([
  ['an unknown encoding', 'zstd', Buffer.from(TEXT)],
  ['two encodings', 'gzip, br', gzipSync(TEXT)],
  ['a body that is not gzip', 'gzip', Buffer.from(TEXT)],
  ['an incomplete body', 'gzip', gzipSync(TEXT).subarray(0, 15)],
  ['a body that is not Brotli', 'br', Buffer.from(TEXT)],
])('names the encoding of %s', async (_, encoding, body) => {
  const reading = read(encoding, body);
  await expect(reading).rejects.toThrow(UnreadableEncodingError);
  await expect(reading).rejects.toThrow(`content-encoding "${encoding}"`);
});
