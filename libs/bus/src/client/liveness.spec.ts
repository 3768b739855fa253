import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { watchLiveness } from './liveness.js';

const INTERVAL_MS = 20;

let server: WebSocketServer;
let near: WebSocket;
let far: WebSocket;

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[WebSocket]>;
  far = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await once(far, 'open');
  [near] = await accepted;
});

afterEach(async () => {
  near.terminate();
  far.terminate();
  await new Promise((resolve) => server.close(resolve));
});

describe('a watched socket', () => {
  it('is ended when its peer says nothing', async () => {
    far.pause();
    watchLiveness(near, INTERVAL_MS);
    const [code] = (await once(near, 'close', { signal: AbortSignal.timeout(20_000) })) as [number];
    expect(code).toBe(1006);
  });

  it('is left alone while we ourselves do not read it', async () => {
    near.pause();
    watchLiveness(near, INTERVAL_MS);
    // Nothing happens here, and that is the point: several times the two intervals after which silence ends a socket.
    await pause(10 * INTERVAL_MS);
    expect(near.readyState).toBe(WebSocket.OPEN);
  });
});
