import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { watchResponseEnd } from './messages.controller.js';

/** Real here: an HTTP server and connections to it. */
let server: Server;
let client: Socket;

afterEach(async () => {
  client.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** A connection on which that many requests were sent at once. */
async function ask(requests: number, listener: RequestListener): Promise<void> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined).write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(requests));
}

describe('an answer', () => {
  it('has left whole when it was written', async () => {
    const told = new Promise<boolean>((resolve) => {
      void ask(1, (_request, response) => {
        watchResponseEnd({ raw: response }, resolve);
        response.end('all of it');
      });
    });
    expect(await told).toBe(true);
  });

  it('has not, when the client is gone before it was made', async () => {
    const told = new Promise<boolean>((resolve) => {
      void ask(1, (_request, response) => {
        response.once('close', () => watchResponseEnd({ raw: response }, resolve));
        client.resetAndDestroy();
      });
    });
    expect(await told).toBe(false);
  });

  it('has not, when the client goes while most of it is to be written', async () => {
    const told = new Promise<boolean>((resolve) => {
      void ask(1, (_request, response) => {
        watchResponseEnd({ raw: response }, resolve);
        // More than the buffers of a connection hold from which nobody reads.
        response.end('x'.repeat(32_000_000));
        client.resetAndDestroy();
      });
    });
    expect(await told).toBe(false);
  });

  it('has not, when the client goes while it waits for the answer before it', async () => {
    let asked = 0;
    const told = new Promise<boolean>((resolve) => {
      void ask(2, (_request, response) => {
        if (++asked === 1) return;
        watchResponseEnd({ raw: response }, resolve);
        response.end('never sent');
        client.resetAndDestroy();
      });
    });
    expect(await told).toBe(false);
  });

  it('has, when it waited for the answer before it', async () => {
    let answerFirst: () => void = () => undefined;
    let asked = 0;
    const told = new Promise<boolean>((resolve) => {
      void ask(2, (_request, response) => {
        if (++asked === 1) return void (answerFirst = () => response.end('first'));
        watchResponseEnd({ raw: response }, resolve);
        response.end('second');
        answerFirst();
      });
    });
    expect(await told).toBe(true);
  });
});
