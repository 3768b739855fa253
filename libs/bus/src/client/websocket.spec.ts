import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { watchLiveness } from './websocket.js';

const INTERVAL_MS = 20;

let server: WebSocketServer;
let watched: WebSocket;
let peer: WebSocket;

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[WebSocket]>;
  peer = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await once(peer, 'open');
  [watched] = await accepted;
});

afterEach(async () => {
  watched.terminate();
  peer.terminate();
  await new Promise((resolve) => server.close(resolve));
});

describe('a watched socket', () => {
  it('is terminated when its peer sends nothing', async () => {
    peer.pause();
    watchLiveness(watched, INTERVAL_MS);
    const [code] = (await once(watched, 'close', { signal: AbortSignal.timeout(20_000) })) as [number];
    expect(code).toBe(1006);
  });

  it('is not terminated while this process does not read it', async () => {
    watched.pause();
    watchLiveness(watched, INTERVAL_MS);
    // Ten intervals; the socket would be terminated after two.
    await pause(10 * INTERVAL_MS);
    expect(watched.readyState).toBe(WebSocket.OPEN);
  });
});
