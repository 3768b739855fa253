import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { waitFor } from '@ssb/testing/in-process';
import { frameText } from './websocket.js';
import { GatewayStream } from './gateway-stream.js';
import type { GatewayStreamOptions, StreamFault, StreamState } from './gateway-stream-options.js';

/** A real WebSocket server in place of a gateway. The gateway's own tests use this client too. */
let server: WebSocketServer;
let sockets: { socket: WebSocket; url: string; authorization: string; frames: string[] }[];
let states: StreamState[];
let faults: StreamFault[];
let streams: GatewayStream[];

beforeEach(async () => {
  sockets = [];
  states = [];
  faults = [];
  streams = [];
  server = await serve();
});

afterEach(async () => {
  await Promise.all(streams.map((stream) => stream.stop()));
  await close(server);
});

async function serve(): Promise<WebSocketServer> {
  const opened = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    handleProtocols: ([first]) => first ?? false,
  });
  opened.on('connection', (socket, request) => {
    const frames: string[] = [];
    socket.on('message', (data) => frames.push(frameText(data)));
    sockets.push({
      socket,
      url: request.url ?? '',
      authorization: request.headers.authorization ?? '',
      frames,
    });
  });
  await once(opened, 'listening');
  return opened;
}

async function close(opened: WebSocketServer): Promise<void> {
  for (const socket of opened.clients) socket.terminate();
  await new Promise((resolve) => opened.close(resolve));
}

function stream(options: Partial<GatewayStreamOptions> = {}): GatewayStream {
  const { port } = server.address() as AddressInfo;
  const made = new GatewayStream({
    url: `http://127.0.0.1:${port}`,
    username: 'Aladdin',
    password: 'open sesame',
    delivery: { mode: 'acknowledged', clientId: 'me & co', window: 7 },
    maxDelayMs: 60,
    onMessages: (batch, acknowledge) => acknowledge(batch.map(({ id }) => id)),
    onState: (state) => states.push(state),
    onFault: (fault) => faults.push(fault),
    ...options,
  });
  streams.push(made);
  made.start();
  return made;
}

const message = (id: string): string =>
  `{"id":"${id}","fqcn":"c","payload":"p","signature":"s","sender":"d","timestampNanos":1763600702123456789}`;

const countStates = (state: StreamState['state']): number =>
  states.filter((each) => each.state === state).length;

describe('GatewayStream', () => {
  it('connects with credentials, client id and window, and acknowledges messages', async () => {
    stream();
    await waitFor('connected', () => countStates('connected') === 1);
    expect(sockets[0]).toMatchObject({
      url: '/events?clientId=me+%26+co&ack=explicit&window=7&gaps=report',
      authorization: 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
    });
    sockets[0]?.socket.send(message('1'));
    sockets[0]?.socket.send(`[${message('2')},${message('3')}]`);
    await waitFor('acknowledged', () => sockets[0]?.frames.length === 2);
    expect(sockets[0]?.frames).toEqual(['{"ack":["1"]}', '{"ack":["2","3"]}']);
  });

  it('requests the channels and the sub-protocol of its options', async () => {
    stream({
      delivery: { mode: 'acknowledged', clientId: 'me', fqcn: ['a.channels', 'b & c'] },
      protocol: 'another',
    });
    await waitFor('connected', () => countStates('connected') === 1);
    expect(new URL(sockets[0]?.url ?? '', 'ws://gateway').searchParams.getAll('fqcn')).toEqual([
      'a.channels',
      'b & c',
    ]);
    expect(sockets[0]?.socket.protocol).toBe('another');
  });

  it.each([
    ['now' as const, 'now'],
    [new Date('2026-11-20T01:02:03.500Z'), '2026-11-20T01:02:03.500Z'],
    ['oldest' as const, 'oldest'],
    [undefined, null],
  ])('requests where a new client id begins: %s', async (from, expected) => {
    stream({ delivery: { mode: 'acknowledged', clientId: 'me', ...(from && { from }) } });
    await waitFor('connected', () => countStates('connected') === 1);
    expect(new URL(sockets[0]?.url ?? '', 'ws://gateway').searchParams.get('from')).toBe(expected);
  });

  it('connects without a query and acknowledges nothing with plain delivery', async () => {
    const received: string[] = [];
    stream({
      delivery: { mode: 'plain' },
      onMessages: (batch, acknowledge) => {
        received.push(...batch.map(({ id }) => id));
        acknowledge(batch.map(({ id }) => id));
      },
    });
    await waitFor('connected', () => countStates('connected') === 1);
    expect(sockets[0]?.url).toBe('/events');
    sockets[0]?.socket.send(message('1'));
    sockets[0]?.socket.send(`[${message('2')},${message('3')}]`);
    await waitFor('received', () => received.length === 3);
    sockets[0]?.socket.terminate();
    await waitFor('again', () => sockets.length === 2);
    expect(sockets.map(({ frames }) => frames)).toEqual([[], []]);
  });

  it.each([
    [
      'an error',
      '{"code":"BUS::FORBIDDEN_RESOURCE","reason":"not enrolled"}',
      { code: 'BUS::FORBIDDEN_RESOURCE', reason: 'not enrolled' },
    ],
    ['a text', '"no broker"', { code: '', reason: 'no broker' }],
    [
      'a list of reasons',
      '{"code":"DSB::CHANNEL_NOT_FOUND","reason":["no channel",{"fqcn":"c"}]}',
      { code: 'DSB::CHANNEL_NOT_FOUND', reason: 'no channel; {"fqcn":"c"}' },
    ],
    [
      'an error without a reason',
      '{"code":"DSB::UNAUTHORIZED","reason":null}',
      { code: 'DSB::UNAUTHORIZED', reason: '' },
    ],
  ])('reports %s of a gateway, and stays connected', async (_name, err, expected) => {
    stream();
    await waitFor('connected', () => sockets.length === 1);
    sockets[0]?.socket.send(`{"transactionId":"t","err":${err}}`);
    await waitFor('reported', () => faults.length === 1);
    expect(faults).toEqual([{ reason: expected.reason, err: expected }]);
    expect(countStates('disconnected')).toBe(0);
  });

  it('reports the status of a refused connection', async () => {
    const statuses: number[] = [];
    const refusing = createServer().on('upgrade', (_request, socket) =>
      socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
    );
    refusing.listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const { port } = refusing.address() as AddressInfo;
    const refused = stream({
      url: `http://127.0.0.1:${port}`,
      onRefused: async (status) => void statuses.push(status),
    });
    await waitFor('refused', () => statuses.length > 1);
    expect(statuses.slice(0, 2)).toEqual([404, 404]);
    await refused.stop();
    refusing.close();
  });

  it('does not send an old acknowledgement on a new connection', async () => {
    const held: ((ids: string[]) => void)[] = [];
    stream({ onMessages: (_batch, acknowledge) => held.push(acknowledge) });
    await waitFor('connected', () => sockets.length === 1);
    sockets[0]?.socket.send(message('1'));
    await waitFor('held', () => held.length === 1);
    sockets[0]?.socket.terminate();
    await waitFor('again', () => sockets.length === 2 && countStates('connected') === 2);
    held[0]?.(['1']);
    sockets[1]?.socket.send(message('1'));
    await waitFor('held again', () => held.length === 2);
    held[1]?.(['1']);
    await waitFor('acknowledged', () => sockets[1]?.frames.length === 1);
    expect(sockets[1]?.frames).toEqual(['{"ack":["1"]}']);
  });

  it('leaves out a malformed message and a frame that is not JSON with onMalformed', async () => {
    const received: string[] = [];
    const malformed: object[] = [];
    stream({
      delivery: { mode: 'plain' },
      onMessages: (batch) => received.push(...batch.map(({ id }) => id)),
      onMalformed: ({ message: reason, readableFields }) => malformed.push({ reason, readableFields }),
    });
    await waitFor('connected', () => sockets.length === 1);
    sockets[0]?.socket.send('hello');
    sockets[0]?.socket.send(`[${message('1')},{"id":"2"},${message('3')}]`);
    await waitFor('received', () => received.length === 2);
    expect(received).toEqual(['1', '3']);
    expect(malformed).toMatchObject([{ reason: 'The text is not JSON.' }, { readableFields: { id: '2' } }]);
    expect([sockets.length, faults]).toEqual([1, []]);
  });

  it('drops messages after a failed batch, so that they arrive again in order', async () => {
    let failures = 0;
    const received: string[] = [];
    stream({
      onMessages: (batch, acknowledge) => {
        if (failures++ === 0) throw new Error('the disk is full');
        received.push(...batch.map(({ id }) => id));
        acknowledge(batch.map(({ id }) => id));
      },
    });
    for (const connection of [0, 1]) {
      await waitFor('connected', () => sockets.length === connection + 1);
      for (const id of ['1', '2', '3']) sockets[connection]?.socket.send(message(id));
    }
    await waitFor('received', () => received.at(-1) === '3' && sockets[1]?.frames.length === 3);
    expect(received).toEqual(['1', '2', '3']);
    expect(sockets[0]?.frames).toEqual([]);
    expect(faults).toContainEqual({ reason: 'the disk is full' });
  });

  it.each(['no JSON', '{"id":1}', '5'])('reconnects after the frame %p', async (frame) => {
    stream();
    await waitFor('connected', () => sockets.length === 1);
    sockets[0]?.socket.send(frame);
    await waitFor('reconnected', () => sockets.length === 2);
    expect(faults).toHaveLength(1);
  });

  it.each([
    ['to onGap', true],
    ['as a fault without onGap', false],
  ])('reports missed messages %s and stays connected', async (_name, hasListener) => {
    const missed: unknown[] = [];
    stream(hasListener ? { onGap: (each) => missed.push(each) } : {});
    await waitFor('connected', () => sockets.length === 1);
    sockets[0]?.socket.send('{"gap":{"fqcn":"c","after":"1","upTo":"3"}}');
    await waitFor('reported', () => missed.length + faults.length === 1);
    expect(missed).toEqual(hasListener ? [{ fqcn: 'c', after: '1', upTo: '3' }] : []);
    expect(countStates('disconnected')).toBe(0);
  });

  it('stops during the delay before an attempt', async () => {
    const stopped = stream({ url: 'http://127.0.0.1:9', maxDelayMs: 100_000 });
    await waitFor('waiting', () => countStates('disconnected') === 1);
    await stopped.stop();
    await stopped.stop();
    expect(states.at(-1)).toEqual({ state: 'stopped' });
    expect(countStates('stopped')).toBe(1);
  });
});
