import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  CLOSE_REFUSED,
  CLOSE_TOO_SLOW,
  frameText,
  type Message,
  type SendMessage,
  type SendMessageSuccess,
} from '@ssb/bus';
import { createLogger } from '@ssb/platform';
import { waitFor } from '@ssb/testing/in-process';
import { WebSocket, WebSocketServer } from 'ws';
import { ByteBudget } from './byte-budget.js';
import { EventsConnection } from './events-connection.js';
import { parseEventsQuery } from './events-query.js';
import { MAX_WAITING_BYTES } from './client-message-queue.js';

/** The WebSockets are real. The broker is a stub, so that any number of bytes can wait for a socket. */
let server: WebSocketServer;

beforeAll(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
});

afterAll(async () => {
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

const counter = { inc: () => undefined };
const failToSend = (): Promise<never> => Promise.reject(new Error('nothing is sent here'));

async function connect(
  outgoing: ByteBudget,
  send: (message: SendMessage) => Promise<SendMessageSuccess> = failToSend,
  incoming = new ByteBudget(100_000_000),
  frames: 'array' | 'object' = 'array',
) {
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [[accepted]] = (await Promise.all([once(server, 'connection'), once(socket, 'open')])) as [
    [WebSocket],
    unknown,
  ];
  const query = parseEventsQuery(new URLSearchParams('clientId=a'));
  if (!query.ok) throw new Error(query.reason);
  const acknowledged: string[] = [];
  const subscription = {
    acknowledge: (_fqcn: string, ids: readonly string[]) => void acknowledged.push(...ids),
    end: () => undefined,
  };
  const context = {
    sender: { send },
    stream: { subscribe: () => subscription },
    shared: { join: () => subscription },
    outgoing,
    incoming,
    delivered: counter,
    gaps: counter,
    frames,
    defaultWindow: 10,
  };
  const log = createLogger({ name: 'test', level: 'silent', format: 'json' });
  const client = new EventsConnection(accepted, query.options, context, log);
  const rest = { fqcn: 'c', topic: 't', signature: '', sender: '', timestampNanos: 1n };
  const deliverAll = (...messages: readonly Pick<Message, 'id' | 'payload'>[]): void =>
    client.onMessages(messages.map((each) => ({ ...rest, ...each })));
  const deliver = (id: string, payload: string): void => deliverAll({ id, payload });
  return { client, accepted, socket, deliver, deliverAll, acknowledged };
}

it('terminates the client that most bytes wait for, and acknowledges nothing that it did not take', async () => {
  const outgoing = new ByteBudget(2_000);
  const [modest, greedy] = [await connect(outgoing), await connect(outgoing)];
  const closed = once(greedy.socket, 'close');
  const received = once(modest.socket, 'message');
  modest.deliver('1', 'small');
  greedy.deliver('2', 'x'.repeat(2_000));
  expect((await closed)[0]).toBe(1006);
  expect(String((await received)[0])).toContain('small');
  // The budget is free again for the other client.
  const next = once(modest.socket, 'message');
  modest.deliver('3', 'x'.repeat(1_500));
  expect(String((await next)[0])).toContain('"id":"3"');
  await waitFor('the acknowledgement', () => modest.acknowledged.includes('1'));
  expect(greedy.acknowledged).toEqual([]);
});

it('acknowledges a message again, and does not send it again, when the broker repeats it', async () => {
  const { client, socket, deliver, acknowledged } = await connect(new ByteBudget(2_000));
  const frames: string[] = [];
  socket.on('message', (data) => frames.push(frameText(data)));
  deliver('1', 'once');
  await waitFor('the acknowledgement', () => acknowledged.length === 1);
  client.onSubscribed();
  deliver('1', 'once');
  deliver('2', 'last');
  await waitFor('the last message', () => frames.some((each) => each.includes('last')));
  await waitFor('all acknowledgements', () => acknowledged.length === 3);
  expect(acknowledged).toEqual(['1', '1', '2']);
  expect(frames.filter((each) => each.includes('once'))).toHaveLength(1);
});

describe('EVENTS_FRAMES', () => {
  const connectWith = (frames: 'array' | 'object', outgoing = new ByteBudget(2_000)) =>
    connect(outgoing, failToSend, undefined, frames);

  it.each([
    ['array', [[['1']], [['2', '3']]]],
    ['object', [['1'], ['2'], ['3']]],
  ] as const)(
    '%s: messages are sent in order, and acknowledged when the socket has them',
    async (form, expected) => {
      const { socket, deliver, deliverAll, acknowledged } = await connectWith(form);
      const frames: unknown[] = [];
      socket.on('message', (data) => {
        const frame = JSON.parse(frameText(data)) as Message | Message[];
        frames.push([Array.isArray(frame) ? frame.map(({ id }) => id) : frame.id]);
      });
      deliver('1', 'alone');
      deliverAll({ id: '2', payload: 'a' }, { id: '3', payload: 'b' });
      await waitFor('all acknowledgements', () => acknowledged.length === 3);
      await waitFor('all frames', () => frames.length === expected.length);
      expect(frames).toEqual(expected);
      expect(acknowledged).toEqual(['1', '2', '3']);
    },
  );

  it('object: a batch takes no bytes of others once its client is evicted, and is not acknowledged', async () => {
    const outgoing = new ByteBudget(2_000);
    const { socket, deliverAll, acknowledged } = await connectWith('object', outgoing);
    const evicted: string[] = [];
    outgoing.reserve({ evict: () => void evicted.push('another client') }, 1_500);
    const closed = once(socket, 'close');
    deliverAll({ id: '1', payload: 'x'.repeat(1_600) }, { id: '2', payload: 'x'.repeat(1_000) });
    expect((await closed)[0]).toBe(1006);
    expect([evicted, acknowledged]).toEqual([[], []]);
  });
});

describe('a client whose messages wait for the broker', () => {
  /** The broker takes each message when the test calls its function in `held`. */
  async function connectSender(incoming?: ByteBudget) {
    const sent: string[] = [];
    const held: (() => void)[] = [];
    const connected = await connect(
      new ByteBudget(1_000_000),
      ({ payload }) => {
        sent.push(payload);
        return new Promise((resolve) => held.push(() => resolve({ id: `id of ${payload}` })));
      },
      incoming,
    );
    const frames: unknown[] = [];
    connected.socket.on('message', (data) => frames.push(JSON.parse(frameText(data))));
    const message = (payload: string) => ({ fqcn: 'c', payload, transactionId: payload.slice(0, 10) });
    return { ...connected, sent, held, frames, message, closed: once(connected.socket, 'close') };
  }

  it('sends nothing more once it is ended, neither what waits nor what arrives', async () => {
    const { client, socket, sent, held, message, closed } = await connectSender();
    socket.send(JSON.stringify(['1', '2', '3'].map(message)));
    socket.send(JSON.stringify(message('4')));
    await waitFor('the first is being sent', () => sent.length === 1);
    client.end({ code: 'REQ::UNAUTHENTICATED', reason: 'user removed' });
    socket.send(JSON.stringify(message('5')));
    held[0]?.();
    expect((await closed)[0]).toBe(CLOSE_REFUSED);
    await client.finished();
    expect(sent).toEqual(['1']);
  });

  it('gets an error for each message that is not sent when the gateway stops', async () => {
    const { client, socket, sent, held, frames, message, closed } = await connectSender();
    socket.send(JSON.stringify([message('1'), message('2'), 5]));
    socket.send(JSON.stringify(message('3')));
    await waitFor('the first is being sent', () => sent.length === 1);
    socket.ping();
    await once(socket, 'pong');
    const stopped = client.close();
    held[0]?.();
    expect((await closed)[0]).toBe(1001);
    await stopped;
    expect(sent).toEqual(['1']);
    const stopping = expect.objectContaining({ code: 'BUS::REQUEST_FAILED' });
    expect(frames).toEqual([
      { transactionId: '2', err: stopping },
      { err: expect.objectContaining({ code: 'REQ::INVALID_REQUEST' }) },
      { transactionId: '3', err: stopping },
    ]);
  });

  it('is not read while 64 of its frames wait, and is read again, in order, when fewer do', async () => {
    const { accepted, socket, sent, held, message } = await connectSender();
    const payloads = Array.from({ length: 66 }, (_, n) => String(n));
    for (const payload of payloads) socket.send(JSON.stringify(message(payload)));
    await waitFor('it is not read', () => accepted.isPaused);
    for (const payload of payloads) {
      await waitFor(payload, () => sent.includes(payload));
      held[sent.length - 1]?.();
    }
    await waitFor('it is read', () => !accepted.isPaused);
    expect(sent).toEqual(payloads);
  });

  it('is not read while as many of its bytes wait as one frame may have', async () => {
    const { accepted, socket, sent, held, message } = await connectSender();
    // Each character has two bytes in UTF-8.
    socket.send(JSON.stringify(message('ü'.repeat(MAX_WAITING_BYTES / 2))));
    await waitFor('it is not read', () => accepted.isPaused && sent.length === 1);
    held[0]?.();
    await waitFor('it is read', () => !accepted.isPaused);
  });

  it('is closed when the bytes of all clients exceed the limit and most of them are its own', async () => {
    const incoming = new ByteBudget(4_000);
    const [modest, greedy] = [await connectSender(incoming), await connectSender(incoming)];
    modest.socket.send(JSON.stringify(modest.message('small')));
    await waitFor('it is being sent', () => modest.sent.length === 1);
    // 1,400 characters of two bytes each: counted as characters they would fit.
    for (const letter of ['ä', 'ö']) greedy.socket.send(JSON.stringify(greedy.message(letter.repeat(1_400))));
    expect((await greedy.closed)[0]).toBe(CLOSE_TOO_SLOW);
    expect(greedy.frames).toEqual([{ err: expect.objectContaining({ code: 'BUS::TOO_SLOW' }) }]);
    greedy.held[0]?.();
    await greedy.client.finished();
    expect(greedy.sent).toEqual(['ä'.repeat(1_400)]);
    modest.socket.send(JSON.stringify(modest.message('x'.repeat(3_000))));
    modest.held[0]?.();
    await waitFor('the budget is free again', () => modest.sent.length === 2);
  });
});
