import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { basicAuthorization, frameText } from '@ssb/bus';
import { freePort } from '@ssb/dev/free-ports';
import { WebSocketServer, type WebSocket } from 'ws';
import { parse } from 'yaml';
import { waitForClosedPort, waitFor } from '@ssb/testing';
import { startRealBroker, type RealBroker } from './support/real-broker.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** A WebSocket server, the gateway that dials it, broker and Redis are real. */
let broker: RealBroker;
let gateway: RunningGateway;
let server: WebSocketServer;
let requests: IncomingMessage[];
let sockets: WebSocket[];
let frames: unknown[];
let port: number;

beforeAll(async () => {
  port = await freePort();
  broker = await startRealBroker();
  gateway = await startGateway(broker.url, {
    EVENTS_PROTOCOL: 'bus.v2',
    EVENTS_FRAMES: 'object',
    EVENTS_CLIENT_URL: `ws://127.0.0.1:${port}/inbound?tenant=7`,
    EVENTS_CLIENT_QUERY: 'clientId=erp&ack=explicit&replies=all',
    EVENTS_CLIENT_USERNAME: 'Aladdin',
    EVENTS_CLIENT_PASSWORD: 'open sesame',
  });
  await gateway.enrolNewIdentity(broker);
});

afterAll(async () => {
  await gateway?.stop();
  await broker?.stop();
});

beforeEach(async () => {
  [requests, sockets, frames] = [[], [], []];
  server = new WebSocketServer({
    host: '127.0.0.1',
    port,
    handleProtocols: (offered) => (offered.has('bus.v2') ? 'bus.v2' : false),
  });
  server.on('connection', (socket, request) => {
    requests.push(request);
    sockets.push(socket);
    socket.on('message', (data) => frames.push(JSON.parse(frameText(data))));
  });
  await once(server, 'listening');
});

afterEach(async () => {
  for (const socket of server.clients) socket.terminate();
  server.close();
  await waitForClosedPort(port);
});

const payloads = (): unknown[] => (frames as { payload?: string }[]).map(({ payload }) => payload);

describe('client mode', () => {
  it('dials with credentials and sub-protocol, and serves both directions', async () => {
    const fqcn = await broker.createChannel();
    const socket = await waitFor('dialled', () => sockets[0]);
    expect([requests[0]?.url, requests[0]?.headers.authorization, socket.protocol]).toEqual([
      '/inbound?tenant=7',
      // RFC 7617 §2's example.
      'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
      'bus.v2',
    ]);
    socket.send(JSON.stringify({ fqcn, topic: 'free', payload: '"dialled"', transactionId: 't1' }));
    // The message may be pushed before its sender gets the answer.
    await waitFor('sent', () =>
      frames.some((each) => JSON.stringify(each).startsWith('{"transactionId":"t1","id"')),
    );
    await waitFor('pushed', () => payloads().includes('"dialled"'));
  });

  it('dials again after a disconnection, and delivers again what was not acknowledged', async () => {
    const fqcn = await broker.createChannel();
    const first = await waitFor('dialled', () => sockets[0]);
    await gateway.client.sendMessage({ fqcn, topic: 'free', payload: '"held"' });
    await waitFor('pushed', () => payloads().includes('"held"'));
    frames.length = 0;
    first.terminate();
    const second = await waitFor('dialled again', () => sockets[1]);
    await waitFor('pushed again', () => payloads().includes('"held"'));
    const ids = (frames as { id: string }[]).map(({ id }) => id);
    second.send(JSON.stringify({ ack: ids }));
    await gateway.client.sendMessage({ fqcn, topic: 'free', payload: '"next"' });
    await waitFor('the next', () => payloads().includes('"next"'));
    frames.length = 0;
    second.close();
    await waitFor('dialled a third time', () => sockets[2]);
    await waitFor('the next again', () => payloads().includes('"next"'));
    expect(payloads()).not.toContain('"held"');
  });
});

describe('the upgrade', () => {
  it.each([
    ['bus.v2', 'open'],
    ['dsb-messages', 'error'],
  ])('with the sub-protocol %s, where the setting is bus.v2, ends in %s', async (protocol, event) => {
    const { WebSocket: Client } = await import('ws');
    const authorization = basicAuthorization('caller', 'a pass:word with ümlaut');
    const address = `${gateway.url.replace('http', 'ws')}/events?fqcn=none`;
    const client = new Client(address, protocol, { headers: { authorization } });
    const ended = await Promise.race(
      ['open', 'error'].map((name) => once(client, name).then(() => name)),
    ).catch(() => 'error');
    client.on('error', () => undefined);
    client.terminate();
    expect(ended).toBe(event);
  });

  it('has the sub-protocol and the frames that ws.yaml names', async () => {
    const description = await gateway.client.document('ws.yaml');
    expect(description).toContain('bus.v2');
    expect(parse(description)).toMatchObject({
      components: { messages: { messages: { payload: { $ref: '#/components/schemas/Message' } } } },
    });
  });
});
