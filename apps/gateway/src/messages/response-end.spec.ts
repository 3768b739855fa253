import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { watchResponseEnd } from './response-end.js';

/** The HTTP server and the connections to it are real. `test/bus/messages.suite.ts` has the written and the interrupted response. */
let server: Server;
let client: Socket;

afterEach(async () => {
  client.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Sends pipelined requests on one connection. */
async function sendRequests(requests: number, listener: RequestListener): Promise<void> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined).write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(requests));
}

describe('a response', () => {
  it('is not sent completely when the client has disconnected unnoticed', async () => {
    const sentCompletely = new Promise<boolean>((resolve) => {
      void sendRequests(1, (_request, response) => {
        watchResponseEnd({ raw: response }, resolve);
        client.resetAndDestroy();
        response.end('never received');
      });
    });
    expect(await sentCompletely).toBe(false);
  });

  it('is not sent completely when the client disconnects while it waits for the response before it', async () => {
    let count = 0;
    const sentCompletely = new Promise<boolean>((resolve) => {
      void sendRequests(2, (_request, response) => {
        if (++count === 1) return;
        watchResponseEnd({ raw: response }, resolve);
        response.end('never sent');
        client.resetAndDestroy();
      });
    });
    expect(await sentCompletely).toBe(false);
  });

  it('is sent completely when it has waited for the response before it', async () => {
    let respondFirst: () => void = () => undefined;
    let count = 0;
    const sentCompletely = new Promise<boolean>((resolve) => {
      void sendRequests(2, (_request, response) => {
        if (++count === 1) return void (respondFirst = () => response.end('first'));
        watchResponseEnd({ raw: response }, resolve);
        response.end('second');
        respondFirst();
      });
    });
    expect(await sentCompletely).toBe(true);
  });
});
