import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ResourceStack } from '@ssb/tools';

const ITEMS = 20;

/** A management port that lists open items as a poller does: the archive of the benchmark has none. @returns POLLER_URLS */
export async function serveOpenItems(
  participants: readonly string[],
  resources: ResourceStack,
): Promise<string> {
  const items = Array.from({ length: ITEMS }, (_, number) => ({
    participant: participants[number % participants.length],
    kind: 'statement',
    interface: 'settlement',
    market: 'WEM',
    periodFrom: `2026-11-${String(number + 1).padStart(2, '0')}T00:00:00`,
    designation: 'INITIAL',
    expectedOn: '2026-11-28',
    since: '2026-11-27T16:00:00.000Z',
  }));
  const body = JSON.stringify({ participants, items, furtherItems: 0 });
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await resources.defer(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
