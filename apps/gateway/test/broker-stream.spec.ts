import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { frameText, MAX_FRAME_BYTES, type StreamRequest } from '@ssb/bus';
import { generatePrivateKey } from '@ssb/identity';
import { waitFor } from '@ssb/testing';
import { WebSocketServer, type WebSocket } from 'ws';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** A stub broker, because a real one sends no frame of such a size, and does not decide a claim while it decides on a subscription. The gateway and its WebSocket are real. */
let server: Server;
let streams: WebSocketServer;
let gateway: RunningGateway;
let sockets: WebSocket[];

beforeAll(async () => {
  server = createServer((_request, response) => {
    const success = { token: 't', did: 'did:ethr:0x', address: '0x', signature: '0x' };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(success));
  });
  streams = new WebSocketServer({ server });
  sockets = [];
  streams.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  gateway = await startGateway(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    BROKER_LIVENESS_MS: '60000',
  });
});

afterAll(async () => {
  await gateway?.stop();
  for (const socket of streams.clients) socket.terminate();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it('closes a stream with a frame above the limit, connects again, and accepts a frame at the limit', async () => {
  await gateway.client.setIdentity(generatePrivateKey().toHex());
  const first = await waitFor('connected', () => sockets[0]);
  const closed = once(first, 'close');
  first.send(Buffer.alloc(MAX_FRAME_BYTES + 1, ' '));
  // RFC 6455 §7.4.1: too big to process.
  expect((await closed)[0]).toBe(1009);
  const second = await waitFor('connected again', () => sockets[1]);
  const claim = { type: 'claim', role: 'a role of this test', state: 'APPROVED' };
  second.send(JSON.stringify(claim).padEnd(MAX_FRAME_BYTES, ' '));
  await waitFor('the frame is accepted', () => gateway.logged().includes(claim.role));
});

it('requests a subscription once when its claim is approved before the broker responds', async () => {
  const socket = sockets.at(-1);
  const requests: string[] = [];
  socket?.on('message', (data) => requests.push((JSON.parse(frameText(data)) as StreamRequest).type));
  const stream = gateway.stream({
    delivery: { mode: 'acknowledged', clientId: 'once' },
    onMessages: () => undefined,
    onState: () => undefined,
    onFault: () => undefined,
  });
  stream.start();
  await waitFor('the request', () => requests.includes('subscribe'));
  const claim = { type: 'claim', role: 'the role of this subscription', state: 'APPROVED' };
  socket?.send(JSON.stringify(claim));
  await waitFor('the claim is known', () => gateway.logged().includes(claim.role));
  await stream.stop();
  await waitFor('the end', () => requests.includes('unsubscribe'));
  expect(requests).toEqual(['subscribe', 'unsubscribe']);
});
