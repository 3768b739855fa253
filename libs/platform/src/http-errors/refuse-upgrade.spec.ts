import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { refuseUpgrade } from './refuse-upgrade.js';

it('refuses an upgrade with status, body and headers, and closes although the client does not', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  server.on('upgrade', (_request, socket) =>
    refuseUpgrade(socket, { status: 401, body: { err: 'ü' }, headers: { 'WWW-Authenticate': 'Bearer' } }),
  );
  await once(server, 'listening');
  const socket = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    allowHalfOpen: true,
  });
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString('utf8');
  expect(text.split('\r\n')).toEqual([
    'HTTP/1.1 401 Unauthorized',
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    'Sec-WebSocket-Version: 13',
    'Content-Length: 12',
    'WWW-Authenticate: Bearer',
    '',
    '{"err":"ü"}',
  ]);
  await new Promise((resolve) => server.close(resolve));
  socket.destroy();
});
