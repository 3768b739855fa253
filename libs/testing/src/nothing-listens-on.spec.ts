import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from '@ssb/free-ports';
import { nothingListensOn } from './nothing-listens-on.js';

it('waits for the end of a listener', async () => {
  const port = await freePort();
  const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  await once(server, 'listening');
  let ended = false;
  const waiting = nothingListensOn(port).then(() => expect(ended).toBe(true));
  // It has looked once when a connection was made.
  await once(server, 'connection');
  ended = true;
  server.close();
  await waiting;
});
