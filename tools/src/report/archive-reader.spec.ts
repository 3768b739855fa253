import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArchiveReader } from './archive-reader.js';

let folder: string;
let server: Server;
let requests: string[];
/** Status codes of the next responses; then 200. */
let failures: number[];
let reader: ArchiveReader;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'archive-reader-'));
  [requests, failures] = [[], []];
  server = createServer((request, response) => {
    requests.push(`${request.headers.authorization} ${request.url}`);
    response.statusCode = failures.shift() ?? 200;
    response.end('{"participant":"WPGENCO","event":{"data":{"tradingMargin":"-1.00"}}}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  reader = new ArchiveReader(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const file = join(folder, 'api.token');
  writeFileSync(file, 'abc\n');
  reader.useToken(file);
});

afterEach(async () => {
  reader.stop();
  server.closeAllConnections();
  if (server.listening) await once(server.close(), 'close');
  rmSync(folder, { recursive: true });
});

it('reads participant and data of an event, also when the API was not ready', async () => {
  failures.push(503, 503);
  expect(await reader.read('event-1')).toEqual({ participant: 'WPGENCO', data: { tradingMargin: '-1.00' } });
  expect(requests).toEqual(Array.from({ length: 3 }, () => 'Bearer abc /v1/events/event-1'));
});

it('gives up when the API stays unavailable, and reads again once it responds', async () => {
  await reader.read('event-1');
  failures.push(503, 503, 503, 503);
  expect(await reader.read('event-2')).toBeUndefined();
  expect(await reader.read('event-3')).toBeUndefined();
  expect(await reader.read('event-4')).toBeDefined();
  expect(requests).toHaveLength(6);
});

it('ends a wait when it stops', async () => {
  failures.push(...Array.from({ length: 1_000 }, () => 503));
  const reading = reader.read('event-1');
  reader.stop();
  expect(await reading).toBeUndefined();
});
