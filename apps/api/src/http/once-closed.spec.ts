import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { onceClosed } from './once-closed.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

let server: Server;
let client: Socket;

beforeEach(async () => {
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
});
afterEach(async () => {
  client.destroy();
  server.close();
  await once(server, 'close');
});

const send = async (): Promise<ServerResponse> => {
  client.write(REQUEST);
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return response;
};

it('calls at once when the client has disconnected before', async () => {
  const response = await send();
  client.destroy();
  await once(response, 'close');
  const onClosed = jest.fn();
  onceClosed(response, onClosed);
  expect(onClosed).toHaveBeenCalledTimes(1);
});

it('calls once when the response is sent and the connection is closed later', async () => {
  const response = await send();
  const { socket } = response.req;
  const onClosed = jest.fn();
  onceClosed(response, onClosed);
  response.end();
  await once(response, 'close');
  socket.destroy();
  await once(socket, 'close');
  expect(onClosed).toHaveBeenCalledTimes(1);
});

it('calls for a response that waits behind another one when the client disconnects', async () => {
  await send();
  const waiting = await send();
  const closed = new Promise<void>((resolve) => onceClosed(waiting, resolve));
  client.destroy();
  await closed;
});
