import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@ssb/platform';
import { waitFor } from '@ssb/testing/in-process';
import { Watchdog } from './watchdog.js';

it('is requested at its whole address, with its credentials, while heartbeats arrive, and not without them', async () => {
  const requests: unknown[] = [];
  const server = createServer(({ url, headers }, response) => {
    requests.push([url, headers.authorization]);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  let alive = false;
  let count = 0;
  const watchdog = new Watchdog({
    url: `http://bridge:secret@127.0.0.1:${(server.address() as AddressInfo).port}/ping/secret?source=bridge`,
    connection: {},
    isAlive: () => {
      count += 1;
      return alive;
    },
    log: createLogger({ name: 'subscriber', level: 'silent', format: 'json' }),
    intervalMs: 10,
  });
  watchdog.start();
  try {
    await waitFor('two intervals', () => count > 1);
    expect(requests).toEqual([]);
    alive = true;
    await waitFor('a request', () => requests.length > 0);
    const authorization = `Basic ${Buffer.from('bridge:secret').toString('base64')}`;
    expect(requests[0]).toEqual(['/ping/secret?source=bridge', authorization]);
  } finally {
    await watchdog.stop();
    server.close();
  }
});
