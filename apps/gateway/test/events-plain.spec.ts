import { once } from 'node:events';
import { basicAuthorization } from '@ssb/bus';
import { WebSocket } from 'ws';
import { EventsFixture } from './support/events-fixture.js';
import { BODY_LIMIT } from '../src/settings.js';
import { waitFor } from '@ssb/testing';
import { USERNAME } from './support/running-gateway.js';

/** Gateway, WebSocket, broker and Redis are real. */
let events: EventsFixture;

beforeAll(async () => {
  events = await EventsFixture.start();
});

afterEach(() => events.disconnectAll());

afterAll(() => events?.stop());

describe('automatic acknowledgement', () => {
  it('delivers messages, which count as received once the socket has taken them', async () => {
    const fqcn = await events.broker.createChannel();
    const first = await events.connect('?clientId=plain');
    await events.send(fqcn, '"one"');
    const seen = (frames: unknown[]) => JSON.stringify(frames);
    await waitFor('one', () => seen(first.frames).includes('one'));
    first.socket.close();
    await once(first.socket, 'close');
    const second = await events.connect('?clientId=plain');
    await events.send(fqcn, '"two"');
    await waitFor('two', () => seen(second.frames).includes('two'));
    expect(seen(second.frames)).not.toContain('one');
    expect(second.frames.every(Array.isArray)).toBe(true);
  });

  it('sends messages in their order, and answers only those that fail', async () => {
    const fqcn = await events.broker.createChannel();
    const { socket, frames } = await events.connect('?clientId=sender');
    const { payloads } = events.subscribe('of-sender');
    socket.send(JSON.stringify({ fqcn, topic: 'free', payload: '"first"', transactionId: 'w1' }));
    socket.send(
      JSON.stringify([
        { fqcn, topic: 'free', payload: '"second"', transactionId: 'w2' },
        { fqcn, topic: 'strict', payload: '{}', transactionId: 'w3' },
        { fqcn, topic: 'free', payload: '"third"', transactionId: 'w4' },
      ]),
    );
    await waitFor('all', () => payloads.includes('"third"'));
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

  it('sends the valid messages of a list, reports the invalid ones, and reads binary frames', async () => {
    const fqcn = await events.broker.createChannel();
    const { socket, frames } = await events.connect(`?clientId=mixed&replies=all&fqcn=${fqcn}`);
    const message = (transactionId: string, more: object = {}) => ({
      ...{ fqcn, topic: 'free', payload: `"${transactionId}"`, transactionId },
      ...more,
    });
    socket.send('[]');
    socket.send(
      JSON.stringify([
        message('m1'),
        5,
        message('m2', { topic: 'none' }),
        message('m3', { topic: null, fqcn: null }),
        message('m4'),
      ]),
    );
    socket.send(Buffer.from(JSON.stringify(message('m5'))));
    const replies = () =>
      frames.filter((frame) => !Array.isArray(frame) && !('payload' in (frame as object)));
    await waitFor('the last is answered', () => JSON.stringify(replies()).includes('"m5"'));
    const code = (name: string) => ({ err: expect.objectContaining({ code: name }) });
    expect(replies()).toEqual([
      { transactionId: 'm1', id: expect.any(String) },
      code('REQ::INVALID_REQUEST'),
      { transactionId: 'm2', ...code('BUS::CHANNEL_NOT_FOUND') },
      { transactionId: 'm3', ...code('REQ::INVALID_REQUEST') },
      { transactionId: 'm4', id: expect.any(String) },
      { transactionId: 'm5', id: expect.any(String) },
    ]);
    await waitFor('the valid messages', () => JSON.stringify(frames).includes('\\"m5\\"'));
    const payloads = (frames.flat() as { payload?: string }[]).flatMap(({ payload }) => payload ?? []);
    expect(payloads).toEqual(['"m1"', '"m4"', '"m5"']);
  });

  it.each([
    ['', 'ack=explicit'],
    ['&ack=explicit', 'ids'],
  ])('reports an invalid acknowledgement with the query "%s"', async (query, reason) => {
    const { socket, frames } = await events.connect(`?clientId=acknowledging&fqcn=none${query}`);
    socket.send('{"ack":"no list"}');
    const error = await waitFor('the error', () =>
      frames.find((each) => JSON.stringify(each).includes('REQ::')),
    );
    expect(error).toEqual({ err: expect.objectContaining({ reason: expect.stringContaining(reason) }) });
  });

  it.each([
    ['not JSON', '{', undefined],
    ['without a payload', '{"fqcn":"a","transactionId":"x"}', 'x'],
    ['an acknowledgement without ack=explicit', '{"ack":["a"]}', undefined],
    ['a number', '5', undefined],
    ['empty', '', undefined],
    ['null', 'null', undefined],
    ['a list in a list', '[[]]', undefined],
    ['binary and not UTF-8', Buffer.from([0, 255, 254, 10]), undefined],
    [
      'binary, with a payload that is not UTF-8',
      Buffer.from('{"fqcn":"a","payload":"\xff"}', 'latin1'),
      undefined,
    ],
    ['a list of too many messages', JSON.stringify(new Array(1_001).fill(1)), undefined],
    ['a payload that cannot be signed', String.raw`{"fqcn":"a","payload":"\ud83d","transactionId":"y"}`, 'y'],
  ])('answers a frame that is %s with an error, and stays open', async (_name, frame, transactionId) => {
    const { socket, frames } = await events.connect('?clientId=broken&fqcn=none.channels.a.apps.b.iam.c');
    socket.send(frame);
    const refused = await waitFor('the error', () =>
      frames.find((each) => JSON.stringify(each).includes('REQ::')),
    );
    expect(refused).toEqual({
      ...(transactionId !== undefined && { transactionId }),
      err: expect.objectContaining({ code: 'REQ::INVALID_REQUEST' }),
    });
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });
});

/** Document 002, "Message". */
const FIELDS = ['fqcn', 'id', 'payload', 'sender', 'signature', 'timestampNanos', 'topic'];

it('a message with a trace context, valid or not, is delivered with the fields of document 002', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const fqcn = await events.broker.createChannel();
  const { frames } = await events.connect(`?clientId=traced&fqcn=${fqcn}`);
  const contexts = [traceparent, 'forged', `cc${traceparent.slice(2)}-${'x'.repeat(4_000)}`];
  for (const context of contexts) {
    const message = { fqcn, topic: 'free', payload: '1' };
    await events.gateway.client.sendMessage(message, { traceparent: context });
  }
  await waitFor('all messages', () => frames.flat().length === contexts.length);
  const delivered = frames.flat() as object[];
  expect(delivered.map((each) => Object.keys(each).toSorted())).toEqual(contexts.map(() => FIELDS));
});

describe('a frame above the size limit', () => {
  it('closes the connection of its sender', async () => {
    const { socket } = await events.connect('?clientId=large');
    socket.send('x'.repeat(BODY_LIMIT + 1));
    const [code] = (await once(socket, 'close')) as [number];
    expect(code).toBe(1009);
  });
});

describe('an upgrade', () => {
  it.each([
    ['without credentials', '/events', '', 'dsb-messages', 401],
    ['with a wrong password', '/events', basicAuthorization(USERNAME, 'x'), 'dsb-messages', 401],
    ['at another address', '/event', undefined, 'dsb-messages', 404],
    ['with another sub-protocol', '/events', undefined, 'chat', 400],
    ['with a wrong window', '/events?window=0', undefined, 'dsb-messages', 400],
    ['for a channel with too long a name', `/events?fqcn=${'c'.repeat(256)}`, undefined, 'dsb-messages', 400],
    ['at a malformed address', '//', undefined, 'dsb-messages', 404],
    ['ack=explicit without a client id', '/events?ack=explicit', undefined, 'dsb-messages', 400],
  ])('%s is refused', async (_name, path, authorization, protocol, status) => {
    const [error] = (await once(events.openSocket(path, protocol, authorization), 'error')) as [Error];
    expect(error.message).toContain(String(status));
  });
});
