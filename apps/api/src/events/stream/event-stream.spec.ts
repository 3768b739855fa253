import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { waitFor } from '@ssb/testing';
import type { Caller } from '../../access/caller.js';
import { createEventFilter } from '../event-filter.js';
import type { ArchiveRange, EventQueries, StreamedRow } from '../event-queries.js';
import type { ArchiveTail } from './archive-tail.js';
import { EventStream } from './event-stream.js';

const CALLER = { name: 'vera', role: 'viewer', participants: 'all' } as Caller;
const FILTER = createEventFilter(CALLER, {});

let server: Server;
let client: Socket;
let received: string;

beforeEach(async () => {
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  received = '';
  client.on('data', (chunk: Buffer) => (received += chunk.toString()));
});
afterEach(async () => {
  client.destroy();
  server.close();
  await once(server, 'close');
});

const request = async (): Promise<ServerResponse> => {
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return response;
};

const tailAt = (completeUpTo: number): ArchiveTail =>
  ({
    completeUpTo,
    follow: () => Promise.resolve(() => undefined),
    changed: (signal: AbortSignal) => once(signal, 'abort'),
  }) as unknown as ArchiveTail;

it('ends with a reason when the reader is slow', async () => {
  const response = await request();
  client.pause();
  const row = { id: 'large', offset: 1, text: JSON.stringify({ padding: 'x'.repeat(1_000_000) }) };
  let pages = 0;
  const events = {
    listArchived: (_: unknown, { after }: ArchiveRange) => {
      pages += 1;
      return Promise.resolve({ rows: [{ ...row, offset: after + 1 } as StreamedRow], hasMore: true });
    },
  } as unknown as EventQueries;
  const stream = new EventStream(response, events, tailAt(1_000), {
    slowReaderMs: 50,
    aliveIntervalMs: 60_000,
  });
  const running = stream.run(CALLER, FILTER, { id: 'beginning', offset: 0 });
  await waitFor('the last frame', () => response.writableEnded);
  const pagesAtEnd = pages;
  client.resume();
  await running;
  await waitFor('the reason', () => received.includes('event: end'));
  expect(received).toContain('"reason":"slow"');
  // What the operating system buffers, and not the whole archive.
  expect(pagesAtEnd).toBeLessThan(100);
});

it('sends an event without data while nothing is archived', async () => {
  const response = await request();
  const stream = new EventStream(response, {} as EventQueries, tailAt(0), {
    slowReaderMs: 30_000,
    aliveIntervalMs: 10,
  });
  const running = stream.run(CALLER, FILTER, { id: 'beginning', offset: 0 });
  await waitFor('signs of life', () => received.split('event: alive\ndata:\n\n').length > 2);
  stream.end('shutdown');
  await running;
});

it('reads a long archive in parts when few of its events match', async () => {
  const response = await request();
  const ranges: ArchiveRange[] = [];
  const events = {
    listArchived: (_: unknown, range: ArchiveRange) => {
      ranges.push(range);
      return Promise.resolve({ rows: [], hasMore: false });
    },
  } as unknown as EventQueries;
  const stream = new EventStream(response, events, tailAt(120_000));
  const running = stream.run(CALLER, FILTER, { id: 'beginning', offset: 0 });
  await waitFor('the end of the archive', () => ranges.at(-1)?.upTo === 120_000);
  stream.end('shutdown');
  await running;
  expect(ranges).toEqual([
    { after: 0, upTo: 50_000 },
    { after: 50_000, upTo: 100_000 },
    { after: 100_000, upTo: 120_000 },
  ]);
});
