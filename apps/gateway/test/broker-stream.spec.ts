import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { LARGEST_FRAME, type StreamFrame } from '@ssb/bus';
import { createLogger } from '@ssb/platform';
import { WebSocketServer, type WebSocket } from 'ws';
import { waitFor } from '@ssb/testing';
import { BrokerConnection } from '../src/broker/broker-connection.js';

/** Real WebSockets; what stands for the broker sends what a real one would not. */
let server: WebSocketServer;

beforeAll(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
});

afterAll(async () => {
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

it('ends a connection on which a frame comes that is larger than any, and connects again', async () => {
  const sockets: WebSocket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  const frames: StreamFrame[] = [];
  const connection = new BrokerConnection({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tls: () => ({}),
    token: () => Promise.resolve('token'),
    refused: () => Promise.resolve(),
    livenessMs: 60_000,
    longestPauseMs: 20,
    log: createLogger({ name: 'test', level: 'silent', format: 'json' }),
    onOpen: () => undefined,
    onFrame: (frame) => void frames.push(frame),
    onDown: () => undefined,
  });
  connection.start();
  try {
    const first = await waitFor('connected', () => sockets[0]);
    const closed = once(first, 'close');
    first.send(Buffer.alloc(LARGEST_FRAME + 1, ' '));
    // RFC 6455 §7.4.1: too big to process.
    expect((await closed)[0]).toBe(1009);
    const second = await waitFor('connected again', () => sockets[1]);
    const claim = { type: 'claim', role: 'user', state: 'APPROVED' } as const;
    second.send(JSON.stringify(claim).padEnd(LARGEST_FRAME, ' '));
    await waitFor('the largest is taken', () => frames.length > 0);
    expect(frames).toEqual([claim]);
  } finally {
    connection.stop();
  }
});
