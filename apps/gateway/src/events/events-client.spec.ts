import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  CLOSE_REFUSED,
  CLOSE_TOO_SLOW,
  frameText,
  type BusMessage,
  type SendMessage,
  type SendMessageSuccess,
} from '@ssb/bus';
import { createLogger } from '@ssb/platform';
import { WebSocket, WebSocketServer } from 'ws';
import type { SubscriptionHandler } from '../broker/broker-stream.js';
import { parseEventsQuery } from './events-query.js';
import { waitFor } from '@ssb/testing';
import { EventsClient } from './events-client.js';
import { MAX_WAITING_BYTES } from './send-queue.js';
import { ByteBudget } from './byte-budget.js';

/** Real WebSockets; the broker's side is by hand, so that what waits for a socket can be as much as is wanted. */
let server: WebSocketServer;

beforeAll(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
});

afterAll(async () => {
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

const nothingIsSent = (): Promise<never> => Promise.reject(new Error('nothing is sent here'));

/** A client that is served out of a budget, and what delivers to it. */
async function served(
  outgoing: ByteBudget,
  send: (message: SendMessage) => Promise<SendMessageSuccess> = nothingIsSent,
  incoming = new ByteBudget(100_000_000),
) {
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [[accepted]] = (await Promise.all([once(server, 'connection'), once(socket, 'open')])) as [
    [WebSocket],
    unknown,
  ];
  const verdict = parseEventsQuery(new URLSearchParams('clientId=a'));
  if (!verdict.ok) throw new Error(verdict.reason);
  const handlers: SubscriptionHandler[] = [];
  const acknowledged: string[] = [];
  const client = new EventsClient(accepted, verdict.mode, {
    send,
    subscribe: (handler) => {
      handlers.push(handler);
      return { acknowledge: (_fqcn, ids) => void acknowledged.push(...ids), end: () => undefined };
    },
    delivered: () => undefined,
    missed: () => undefined,
    window: 10,
    outgoing,
    incoming,
    log: createLogger({ name: 'test', level: 'silent', format: 'json' }),
  });
  const rest = { fqcn: 'c', topic: 't', signature: '', sender: '', timestampNanos: '1' };
  const deliver = (id: string, payload: string): void =>
    handlers[0]?.messages([{ ...rest, id, payload } satisfies BusMessage]);
  const begin = (): void => handlers[0]?.subscribed();
  return { client, accepted, socket, begin, deliver, acknowledged };
}

it('is cut off when more bytes wait for it than for all may wait; what it did not take is not acknowledged', async () => {
  const outgoing = new ByteBudget(2_000);
  const [modest, greedy] = [await served(outgoing), await served(outgoing)];
  const closed = once(greedy.socket, 'close');
  const got = once(modest.socket, 'message');
  modest.deliver('1', 'small');
  greedy.deliver('2', 'x'.repeat(2_000));
  expect((await closed)[0]).toBe(1006);
  expect(String((await got)[0])).toContain('small');
  // There is room again for the other.
  const more = once(modest.socket, 'message');
  modest.deliver('3', 'x'.repeat(1_500));
  expect(String((await more)[0])).toContain('"id":"3"');
  await waitFor('it counts as received', () => modest.acknowledged.includes('1'));
  expect(greedy.acknowledged).toEqual([]);
});

it('acknowledges again, and shows to nobody, what the broker delivers anew although it was acknowledged', async () => {
  const { socket, begin, deliver, acknowledged } = await served(new ByteBudget(2_000));
  const frames: string[] = [];
  socket.on('message', (data) => frames.push(frameText(data)));
  deliver('1', 'once');
  await waitFor('it counts as received', () => acknowledged.length === 1);
  begin();
  deliver('1', 'once');
  deliver('2', 'last');
  await waitFor('the last', () => frames.some((each) => each.includes('last')));
  await waitFor('all count as received', () => acknowledged.length === 3);
  expect(acknowledged).toEqual(['1', '1', '2']);
  expect(frames.filter((each) => each.includes('once'))).toHaveLength(1);
});

describe('a client whose messages wait for the broker', () => {
  /** The broker's side of sending: each message is taken when it is let go. */
  async function sending(incoming?: ByteBudget) {
    const sent: string[] = [];
    const held: (() => void)[] = [];
    const serving = await served(
      new ByteBudget(1_000_000),
      ({ payload }) => {
        sent.push(payload);
        return new Promise((resolve) => held.push(() => resolve({ id: `id of ${payload}` })));
      },
      incoming,
    );
    const frames: unknown[] = [];
    serving.socket.on('message', (data) => frames.push(JSON.parse(frameText(data))));
    const message = (payload: string) => ({ fqcn: 'c', payload, transactionId: payload.slice(0, 10) });
    return { ...serving, sent, held, frames, message, closed: once(serving.socket, 'close') };
  }

  it('sends nothing more once it is dismissed, neither what waits nor what comes', async () => {
    const { client, socket, sent, held, message, closed } = await sending();
    socket.send(JSON.stringify(['1', '2', '3'].map(message)));
    socket.send(JSON.stringify(message('4')));
    await waitFor('the first is on its way', () => sent.length === 1);
    client.end({ code: 'REQ::UNAUTHENTICATED', reason: 'dismissed' });
    socket.send(JSON.stringify(message('5')));
    held[0]?.();
    expect((await closed)[0]).toBe(CLOSE_REFUSED);
    await client.finished();
    expect(sent).toEqual(['1']);
  });

  it('is told what was not sent when the gateway stops, after the one under way', async () => {
    const { client, socket, sent, held, frames, message, closed } = await sending();
    socket.send(JSON.stringify([message('1'), message('2'), 5]));
    socket.send(JSON.stringify(message('3')));
    await waitFor('the first is on its way', () => sent.length === 1);
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

  it('is not read while 64 frames of it wait, and read on, in order, when fewer do', async () => {
    const { accepted, socket, sent, held, message } = await sending();
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

  it('is not read while as many bytes of it wait as one frame may have', async () => {
    const { accepted, socket, sent, held, message } = await sending();
    // Two bytes each in UTF-8: half as many characters as bytes.
    socket.send(JSON.stringify(message('ü'.repeat(MAX_WAITING_BYTES / 2))));
    await waitFor('it is not read', () => accepted.isPaused && sent.length === 1);
    held[0]?.();
    await waitFor('it is read', () => !accepted.isPaused);
  });

  it('is let go when more bytes wait than all clients may have waiting, and most of them are its', async () => {
    const incoming = new ByteBudget(4_000);
    const [modest, greedy] = [await sending(incoming), await sending(incoming)];
    modest.socket.send(JSON.stringify(modest.message('small')));
    await waitFor('it is taken', () => modest.sent.length === 1);
    // 1,400 characters each, of two bytes: as characters there would be room.
    for (const letter of ['ä', 'ö']) greedy.socket.send(JSON.stringify(greedy.message(letter.repeat(1_400))));
    expect((await greedy.closed)[0]).toBe(CLOSE_TOO_SLOW);
    expect(greedy.frames).toEqual([{ err: expect.objectContaining({ code: 'BUS::TOO_SLOW' }) }]);
    greedy.held[0]?.();
    await greedy.client.finished();
    expect(greedy.sent).toEqual(['ä'.repeat(1_400)]);
    modest.socket.send(JSON.stringify(modest.message('x'.repeat(3_000))));
    modest.held[0]?.();
    await waitFor('there is room again', () => modest.sent.length === 2);
  });
});
