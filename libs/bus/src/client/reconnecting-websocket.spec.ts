import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { freePort } from '@ssb/dev/free-ports';
import { waitFor } from '@ssb/testing/in-process';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';
import { CLOSE_SUPERSEDED } from '../gateway/events-frame.js';
import {
  ReconnectingWebSocket,
  type Disconnection,
  type ReconnectingWebSocketOptions,
} from './reconnecting-websocket.js';

let server: WebSocketServer;
let accepted: WebSocket[];
let opened: WebSocket[];
let disconnections: Disconnection[];
let clients: ReconnectingWebSocket[];

beforeEach(async () => {
  [accepted, opened, disconnections, clients] = [[], [], [], []];
  server = await serve();
});

afterEach(async () => {
  await Promise.all(clients.map((client) => client.stop()));
  await close(server);
});

async function serve(options: ServerOptions = {}): Promise<WebSocketServer> {
  const started = new WebSocketServer({ port: 0, host: '127.0.0.1', ...options });
  started.on('connection', (socket) => accepted.push(socket));
  await once(started, 'listening');
  return started;
}

async function close(started: WebSocketServer): Promise<void> {
  for (const socket of started.clients) socket.terminate();
  await new Promise((resolve) => started.close(resolve));
}

const portOf = (started: WebSocketServer | Server): number => (started.address() as AddressInfo).port;

function start(
  options: Partial<ReconnectingWebSocketOptions> = {},
  port = portOf(server),
): ReconnectingWebSocket {
  const client = new ReconnectingWebSocket({
    handshake: () => ({ address: `ws://127.0.0.1:${port}`, protocol: 'p', options: {} }),
    maxDelayMs: 60,
    onOpen: (socket) => opened.push(socket),
    onDisconnected: (disconnection) => disconnections.push(disconnection),
    ...options,
  });
  clients.push(client);
  client.start();
  return client;
}

const connections = (count: number) =>
  waitFor(`${count} connections`, () => opened.length === count && accepted.length === count);

describe('a reconnecting WebSocket', () => {
  it('sends and receives while it is connected', async () => {
    const texts: string[] = [];
    const client = start({
      onText: (text, send) => {
        texts.push(text);
        send('response');
      },
    });
    client.send('dropped');
    await connections(1);
    const frames: string[] = [];
    accepted[0]?.on('message', (data: Buffer) => frames.push(data.toString()));
    client.send('request');
    accepted[0]?.send('text');
    await waitFor('both', () => frames.length === 2);
    expect([texts, frames.sort(), client.open]).toEqual([['text'], ['request', 'response'], true]);
  });

  it('reconnects when the server closes, terminates or restarts', async () => {
    // No other process takes it during the restart.
    const port = await freePort();
    await close(server);
    server = await serve({ port });
    start();
    await connections(1);
    accepted[0]?.close(1001, 'restart');
    await connections(2);
    expect(disconnections).toEqual([
      { reason: 'restart', retryInMs: expect.any(Number), isSuperseded: false },
    ]);
    accepted[1]?.terminate();
    await connections(3);
    await close(server);
    await waitFor('several failed attempts', () => disconnections.length >= 5);
    server = await serve({ port });
    await connections(4);
  });

  it('waits longer when a newer client superseded it', async () => {
    start({ maxDelayMs: 100_000 });
    await connections(1);
    accepted[0]?.close(CLOSE_SUPERSEDED, 'superseded');
    const [first] = await waitFor('disconnected', () => disconnections.length > 0 && disconnections);
    expect(first).toMatchObject({ reason: 'superseded', isSuperseded: true });
    // The seventh delay: 200 ms doubled six times, or half of it.
    expect(first?.retryInMs).toBeGreaterThanOrEqual(6_400);
  });

  it('detects a server that is gone without a close', async () => {
    const ends: Socket[] = [];
    const relay = createServer((near) => {
      const far = connect(portOf(server), '127.0.0.1');
      near.pipe(far).pipe(near);
      for (const end of [near, far]) end.on('error', () => end.destroy());
      ends.push(near, far);
    });
    relay.listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const client = start({ livenessMs: 200 }, portOf(relay));
    await waitFor('connected', () => opened.length > 0);
    for (const end of ends) {
      end.unpipe();
      end.pause();
    }
    await waitFor('reconnected', () => opened.length > 1 && disconnections.length > 0);
    await client.stop();
    for (const end of ends) end.destroy();
    await new Promise((resolve) => relay.close(resolve));
  });

  it('gives a busy server a second for the handshake, even with a short liveness interval', async () => {
    await close(server);
    server = await serve({ verifyClient: (_info, admit) => void setTimeout(() => admit(true), 150) });
    // A pause of a second on a busy machine ends a handshake too.
    await waitFor('a client that connects at its first try', async () => {
      const [failures, before] = [disconnections.length, opened.length];
      const client = start({ livenessMs: 50 });
      await waitFor('a connection', () => opened.length > before);
      await client.stop();
      return disconnections.length === failures;
    });
  });

  it('gives up a handshake without a response', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    start({ livenessMs: 50 }, portOf(silent));
    const [first] = await waitFor('given up', () => disconnections.length > 0 && disconnections);
    expect(first?.reason).toBe('Opening handshake has timed out');
    await clients[0]?.stop();
    silent.close();
  });

  it.each([
    ['', 'the connection was refused with 401'],
    ['{"err":{"code":"A::B","reason":"no"}}', 'the connection was refused with 401: A::B: no'],
    ['{"secret":"hunter2"}', 'the connection was refused with 401'],
    ['x'.repeat(100_000), 'the connection was refused with 401'],
  ])('reports the error body of a refused upgrade', async (body, reason) => {
    const refusing = createHttpServer().listen(0, '127.0.0.1');
    refusing.on('upgrade', (_request, socket) => {
      socket.on('error', () => socket.destroy());
      socket.end(`HTTP/1.1 401 Unauthorized\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
    await once(refusing, 'listening');
    const statuses: number[] = [];
    const onRefused = async (status: number): Promise<void> => void statuses.push(status);
    const client = start({ onRefused, maxDelayMs: 60_000 }, portOf(refusing));
    const [first] = await waitFor('refused', () => disconnections.length > 0 && disconnections);
    expect([first?.reason, statuses]).toEqual([reason, [401]]);
    await client.stop();
    await new Promise((resolve) => refusing.close(resolve));
  });

  it('retries when the handshake options fail, and at once on retryNow', async () => {
    let attempts = 0;
    const handshake = async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('no token');
      return { address: `ws://127.0.0.1:${portOf(server)}`, protocol: 'p', options: {} };
    };
    const client = start({ handshake, maxDelayMs: 600_000 });
    await waitFor('failed', () => disconnections.length === 1);
    client.retryNow();
    client.retryNow();
    await connections(1);
    expect([disconnections[0]?.reason, attempts]).toEqual(['no token', 2]);
  });
});

describe('stopping a reconnecting WebSocket', () => {
  it('is bounded when the server does not respond to the close', async () => {
    const client = start();
    await connections(1);
    accepted[0]?.pause();
    await client.stop();
    expect([client.open, disconnections]).toEqual([false, []]);
  });

  it('is possible during a handshake and reports no failure', async () => {
    await start().stop();
    expect([opened, disconnections]).toEqual([[], []]);
  });

  it('keeps an open connection after stopRetrying', async () => {
    const client = start();
    await connections(1);
    client.stopRetrying();
    expect(client.open).toBe(true);
    accepted[0]?.close();
    await waitFor('closed', () => !client.open);
    expect(disconnections).toEqual([]);
  });
});
