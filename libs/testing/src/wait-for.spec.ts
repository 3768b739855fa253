import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from '@ssb/dev/free-ports';
import { waitForClosedPort } from './wait-for.js';

it('waitForClosedPort waits for the end of a listener', async () => {
  const port = await freePort();
  const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  await once(server, 'listening');
  let closed = false;
  const close = async (): Promise<void> => {
    // The first poll has found the listener.
    await once(server, 'connection');
    closed = true;
    server.close();
  };
  await Promise.all([waitForClosedPort(port).then(() => expect(closed).toBe(true)), close()]);
});
