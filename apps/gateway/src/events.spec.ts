import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { basicAuthorization, CLOSE_SUPERSEDED, type GatewayStream, type StreamState } from '@ssb/bus';
import { generatePrivateKey } from '@ssb/identity';
import { WebSocket } from 'ws';
import { eventually } from './testing/eventually.js';
import { startRealBroker, type RealBroker } from './testing/real-broker.js';
import { PASSWORD, startGateway, USERNAME, type RunningGateway } from './testing/running-gateway.js';

/** Real here: the gateway, its WebSocket, the broker's process and stream, Redis. */
let broker: RealBroker;
let gateway: RunningGateway;
const opened: (GatewayStream | WebSocket)[] = [];

beforeAll(async () => {
  broker = await startRealBroker();
  gateway = await startGateway(broker.url);
  await gateway.enrolNew(broker);
}, 60_000);

afterEach(async () => {
  for (const each of opened.splice(0)) {
    if (each instanceof WebSocket) each.terminate();
    else await each.stop();
  }
});

afterAll(async () => {
  await gateway?.stop();
  await broker?.stop();
}, 30_000);

interface Listener {
  readonly payloads: string[];
  readonly states: StreamState[];
  acknowledging: boolean;
}

/** A reliable subscriber that keeps what it gets, and acknowledges at once unless told not to. */
function listen(
  clientId: string,
  { window = 100, acknowledging = true } = {},
): Listener & { stream: GatewayStream } {
  const listener: Listener = { payloads: [], states: [], acknowledging };
  const stream = gateway.stream({
    clientId,
    window,
    onMessages: (batch, acknowledge) => {
      listener.payloads.push(...batch.map(({ payload }) => payload));
      if (listener.acknowledging) acknowledge(batch.map(({ id }) => id));
    },
    onState: (state) => listener.states.push(state),
  });
  opened.push(stream);
  stream.start();
  return Object.assign(listener, { stream });
}

async function plain(query = ''): Promise<{ socket: WebSocket; frames: unknown[] }> {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/events${query}`, 'dsb-messages', {
    headers: { authorization: basicAuthorization(USERNAME, PASSWORD) },
  });
  opened.push(socket);
  const frames: unknown[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  await once(socket, 'open');
  return { socket, frames };
}

async function send(fqcn: string, ...payloads: string[]): Promise<void> {
  for (const payload of payloads) await gateway.client.sendMessage({ fqcn, topic: 'free', payload });
}

describe('a reliable subscriber', () => {
  it('gets what was sent before and after it came, in order', async () => {
    const fqcn = await broker.createChannel();
    await send(fqcn, '1', '2');
    const { payloads } = listen('order');
    await eventually('the first two', () => payloads.length >= 2);
    await send(fqcn, '3');
    await eventually('the third', () => payloads.length >= 3);
    expect(payloads).toEqual(['1', '2', '3']);
  });

  it('gets again what it did not acknowledge, and nothing else', async () => {
    const fqcn = await broker.createChannel();
    const first = listen('again');
    await eventually('connected', () => first.states.some(({ state }) => state === 'connected'));
    await send(fqcn, '"a"');
    await eventually('a', () => first.payloads.includes('"a"'));
    first.acknowledging = false;
    await send(fqcn, '"b"', '"c"');
    await eventually('c', () => first.payloads.includes('"c"'));
    await first.stream.stop();
    const second = listen('again');
    await eventually('b and c again', () => second.payloads.length >= 2);
    await send(fqcn, '"d"');
    await eventually('d', () => second.payloads.includes('"d"'));
    expect(second.payloads).toEqual(['"b"', '"c"', '"d"']);
  });

  it('has no more in hand than its window', async () => {
    const fqcn = await broker.createChannel();
    const slow = listen('window', { window: 2, acknowledging: false });
    const quick = listen('window-quick');
    await send(fqcn, '11', '12', '13', '14', '15');
    await eventually('the quick one has all', () => quick.payloads.includes('15'));
    expect(slow.payloads.filter((payload) => payload.startsWith('1')).length).toBeLessThanOrEqual(2);
  });

  it('keeps its connection while the broker is away, and gets the rest afterwards', async () => {
    const fqcn = await broker.createChannel();
    const { payloads, states } = listen('outage');
    await send(fqcn, '"before"');
    await eventually('the first', () => payloads.includes('"before"'));
    await broker.kill();
    await broker.start();
    await send(fqcn, '"after"');
    await eventually('the second', () => payloads.includes('"after"'));
    expect(states.filter(({ state }) => state !== 'connected')).toEqual([]);
  });

  it('acknowledged after the broker came back, gets nothing twice', async () => {
    const fqcn = await broker.createChannel();
    const first = listen('outage-ack', { acknowledging: false });
    await send(fqcn, '"held"');
    await eventually('held', () => first.payloads.includes('"held"'));
    await broker.kill();
    await broker.start();
    first.acknowledging = true;
    await eventually(
      'held again',
      () => first.payloads.filter((payload) => payload === '"held"').length === 2,
    );
    await first.stream.stop();
    const second = listen('outage-ack');
    await send(fqcn, '"next"');
    await eventually('next', () => second.payloads.includes('"next"'));
    expect(second.payloads).not.toContain('"held"');
  });

  it('gives way to a newer one with the same name', async () => {
    const first = await plain('?ack=explicit&clientId=twin');
    const closed = once(first.socket, 'close');
    await plain('?ack=explicit&clientId=twin');
    expect((await closed)[0]).toBe(CLOSE_SUPERSEDED);
    expect(first.frames).toContainEqual({ err: expect.objectContaining({ code: 'BUS::SUPERSEDED' }) });
  });

  it('comes back by itself when the gateway restarts', async () => {
    const fqcn = await broker.createChannel();
    const { payloads, states } = listen('restart');
    await eventually('connected', () => states.some(({ state }) => state === 'connected'));
    await gateway.restart();
    await send(fqcn, '"after the restart"');
    await eventually('delivered', () => payloads.includes('"after the restart"'));
    expect(states.map(({ state }) => state)).toContain('disconnected');
  });
});

describe('a subscriber whose gateway is not enrolled yet', () => {
  it('is told so, and gets everything once it is', async () => {
    const other = await startGateway(broker.url);
    try {
      const fqcn = await broker.createChannel();
      await send(fqcn, '"early"');
      const payloads: string[] = [];
      const faults: (string | undefined)[] = [];
      const stream = other.stream({
        clientId: 'early',
        onMessages: (batch) => payloads.push(...batch.map(({ payload }) => payload)),
        onState: (state) => state.state === 'fault' && faults.push(state.err?.code),
      });
      opened.push(stream);
      stream.start();
      await other.client.setIdentity(generatePrivateKey().toHex());
      await eventually('told', () => faults.includes('BUS::FORBIDDEN_RESOURCE'));
      const { did } = await other.client.enrol();
      await broker.decide(did, 'approve');
      await eventually('delivered', () => payloads.includes('"early"'));
      await stream.stop();
    } finally {
      await other.stop();
    }
  });
});

describe('the plain form', () => {
  it('delivers, and counts as received what the socket has taken', async () => {
    const fqcn = await broker.createChannel();
    const first = await plain('?clientId=plain');
    await send(fqcn, '"one"');
    const seen = (frames: unknown[]) => JSON.stringify(frames);
    await eventually('one', () => seen(first.frames).includes('one'));
    first.socket.close();
    await once(first.socket, 'close');
    const second = await plain('?clientId=plain');
    await send(fqcn, '"two"');
    await eventually('two', () => seen(second.frames).includes('two'));
    expect(seen(second.frames)).not.toContain('one');
  });

  it('sends what it is given, in order, and answers failures alone', async () => {
    const fqcn = await broker.createChannel();
    const { socket, frames } = await plain('?clientId=sender');
    const { payloads } = listen('of-sender');
    socket.send(JSON.stringify({ fqcn, topic: 'free', payload: '"first"', transactionId: 'w1' }));
    socket.send(
      JSON.stringify([
        { fqcn, topic: 'free', payload: '"second"', transactionId: 'w2' },
        { fqcn, topic: 'strict', payload: '{}', transactionId: 'w3' },
        { fqcn, topic: 'free', payload: '"third"', transactionId: 'w4' },
      ]),
    );
    await eventually('all', () => payloads.includes('"third"'));
    expect(payloads.filter((payload) => /first|second|third/.test(payload))).toEqual([
      '"first"',
      '"second"',
      '"third"',
    ]);
    const replies = frames.filter(
      (frame) => typeof frame === 'object' && frame !== null && !('payload' in frame),
    );
    expect(replies.filter((frame) => !Array.isArray(frame))).toEqual([
      { transactionId: 'w3', err: expect.objectContaining({ code: 'BUS::MESSAGE_REJECTED' }) },
    ]);
  });

  it('answers successes as well when asked to', async () => {
    const fqcn = await broker.createChannel();
    const { socket, frames } = await plain('?clientId=replies&replies=all');
    socket.send(JSON.stringify({ fqcn, topic: 'free', payload: '1', transactionId: 'r1' }));
    await eventually('the answer', () => JSON.stringify(frames).includes('"transactionId":"r1","id"'));
  });

  it.each([
    ['no JSON', '{', undefined],
    ['no payload', '{"fqcn":"a","transactionId":"x"}', 'x'],
    ['an acknowledgement, which needs ack=explicit', '{"ack":["a"]}', undefined],
    ['a number', '5', undefined],
  ])('answers a frame that is %s with an error, and stays', async (_name, frame, transactionId) => {
    const { socket, frames } = await plain('?clientId=broken&fqcn=none.channels.a.apps.b.iam.c');
    socket.send(frame);
    const refused = await eventually('the error', () =>
      frames.find((each) => JSON.stringify(each).includes('REQ::')),
    );
    expect(refused).toEqual({
      ...(transactionId !== undefined && { transactionId }),
      err: expect.objectContaining({ code: 'REQ::INVALID_REQUEST' }),
    });
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });
});

describe('an upgrade', () => {
  it.each([
    ['without credentials', '/events', {}, 'dsb-messages', 401],
    [
      'with a wrong password',
      '/events',
      { authorization: basicAuthorization(USERNAME, 'x') },
      'dsb-messages',
      401,
    ],
    ['at another address', '/event', undefined, 'dsb-messages', 404],
    ['with another sub-protocol', '/events', undefined, 'chat', 400],
    ['with a wrong window', '/events?window=0', undefined, 'dsb-messages', 400],
    ['reliable without a name', '/events?ack=explicit', undefined, 'dsb-messages', 400],
  ])('%s is refused', async (_name, path, headers, protocol, status) => {
    const socket = new WebSocket(gateway.url.replace('http', 'ws') + path, protocol, {
      headers: headers ?? { authorization: basicAuthorization(USERNAME, PASSWORD) },
    });
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain(String(status));
  });
});
