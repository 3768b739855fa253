import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { waitFor } from '@ssb/testing';
import { frameText } from './frame-text.js';
import { GatewayStream, type GatewayStreamOptions, type StreamState } from './gateway-stream.js';

/** A real WebSocket server that plays a gateway; the gateway itself is tried with this stream in its own tests. */
let server: WebSocketServer;
let sockets: { socket: WebSocket; url: string; authorization: string; frames: string[] }[];
let states: StreamState[];
let streams: GatewayStream[];

beforeEach(async () => {
  sockets = [];
  states = [];
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
    clientId: 'me & co',
    longestPauseMs: 60,
    onMessages: (batch, acknowledge) => acknowledge(batch.map(({ id }) => id)),
    onState: (state) => states.push(state),
    ...options,
  });
  streams.push(made);
  made.start();
  return made;
}

const message = (id: string): string =>
  `{"id":"${id}","fqcn":"c","payload":"p","signature":"s","sender":"d","timestampNanos":1763600702123456789}`;

const seen = (state: StreamState['state']): number => states.filter((each) => each.state === state).length;

describe('the stream of a gateway', () => {
  it('connects with its credentials, name and window, and acknowledges', async () => {
    stream({ window: 7 });
    await waitFor('connected', () => seen('connected') === 1);
    expect(sockets[0]).toMatchObject({
      url: '/events?clientId=me+%26+co&ack=explicit&window=7&gaps=report',
      authorization: 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
    });
    sockets[0]?.socket.send(message('1'));
    sockets[0]?.socket.send(`[${message('2')},${message('3')}]`);
    await waitFor('acknowledged', () => sockets[0]?.frames.length === 2);
    expect(sockets[0]?.frames).toEqual(['{"ack":["1"]}', '{"ack":["2","3"]}']);
  });

  it('asks for the channels and speaks the sub-protocol that it was told', async () => {
    stream({ fqcn: ['a.channels', 'b & c'], protocol: 'another' });
    await waitFor('connected', () => seen('connected') === 1);
    expect(new URL(sockets[0]?.url ?? '', 'ws://gateway').searchParams.getAll('fqcn')).toEqual([
      'a.channels',
      'b & c',
    ]);
    expect(sockets[0]?.socket.protocol).toBe('another');
  });

  it('acknowledges nothing on a connection that came later', async () => {
    const held: ((ids: string[]) => void)[] = [];
    stream({ onMessages: (_batch, acknowledge) => held.push(acknowledge) });
    await waitFor('connected', () => sockets.length === 1);
    sockets[0]?.socket.send(message('1'));
    await waitFor('held', () => held.length === 1);
    sockets[0]?.socket.terminate();
    await waitFor('again', () => sockets.length === 2 && seen('connected') === 2);
    held[0]?.(['1']);
    sockets[1]?.socket.send(message('1'));
    await waitFor('held again', () => held.length === 2);
    held[1]?.(['1']);
    await waitFor('acknowledged', () => sockets[1]?.frames.length === 1);
    expect(sockets[1]?.frames).toEqual(['{"ack":["1"]}']);
  });

  it('survives a receiver that throws: the messages come again on a new connection', async () => {
    let failures = 0;
    const got: string[] = [];
    stream({
      onMessages: (batch, acknowledge) => {
        if (failures++ === 0) throw new Error('the disk is full');
        got.push(...batch.map(({ id }) => id));
        acknowledge(got);
      },
    });
    await waitFor('connected', () => sockets.length === 1);
    sockets[0]?.socket.send(message('1'));
    await waitFor('reconnected', () => sockets.length === 2);
    sockets[1]?.socket.send(message('1'));
    await waitFor('got', () => got.length === 1);
    expect(states).toContainEqual({ state: 'fault', reason: 'the disk is full' });
  });

  it('shows nothing after the batch that failed, so that the messages come again in their order', async () => {
    let failures = 0;
    const got: string[] = [];
    stream({
      onMessages: (batch, acknowledge) => {
        if (failures++ === 0) throw new Error('the disk is full');
        got.push(...batch.map(({ id }) => id));
        acknowledge(batch.map(({ id }) => id));
      },
    });
    for (const connection of [0, 1]) {
      await waitFor('connected', () => sockets.length === connection + 1);
      for (const id of ['1', '2', '3']) sockets[connection]?.socket.send(message(id));
    }
    await waitFor('got', () => got.at(-1) === '3' && sockets[1]?.frames.length === 3);
    expect(got).toEqual(['1', '2', '3']);
    expect(sockets[0]?.frames).toEqual([]);
  });

  it.each(['no JSON', '{"id":1}', '5'])('survives the frame %p', async (frame) => {
    stream();
    await waitFor('connected', () => sockets.length === 1);
    sockets[0]?.socket.send(frame);
    await waitFor('reconnected', () => sockets.length === 2);
    expect(seen('fault')).toBe(1);
  });

  it('tells of an error of the gateway and stays', async () => {
    stream();
    await waitFor('connected', () => sockets.length === 1);
    sockets[0]?.socket.send('{"err":{"code":"BUS::FORBIDDEN_RESOURCE","reason":"not enrolled"}}');
    await waitFor('told', () => seen('fault') === 1);
    expect(states).toContainEqual({
      state: 'fault',
      reason: 'not enrolled',
      err: { code: 'BUS::FORBIDDEN_RESOURCE', reason: 'not enrolled' },
    });
    expect(seen('disconnected')).toBe(0);
  });

  it.each([
    ['to whoever listens for it', true],
    ['as a fault otherwise', false],
  ])('tells of missed messages %s, and stays', async (_name, listening) => {
    const missed: unknown[] = [];
    stream(listening ? { onGap: (each) => missed.push(each) } : {});
    await waitFor('connected', () => sockets.length === 1);
    sockets[0]?.socket.send('{"gap":{"fqcn":"c","after":"1","upTo":"3"}}');
    await waitFor('told', () => missed.length + seen('fault') === 1);
    expect(missed).toEqual(listening ? [{ fqcn: 'c', after: '1', upTo: '3' }] : []);
    expect(seen('disconnected')).toBe(0);
  });

  it('stops for good, even while it waits', async () => {
    const stopped = stream({ url: 'http://127.0.0.1:9', longestPauseMs: 100_000 });
    await waitFor('waiting', () => seen('disconnected') === 1);
    await stopped.stop();
    await stopped.stop();
    expect(states.at(-1)).toEqual({ state: 'stopped' });
    expect(seen('stopped')).toBe(1);
  });
});
