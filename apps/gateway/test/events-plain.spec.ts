import { once } from 'node:events';
import { basicAuthorization } from '@ssb/bus';
import { WebSocket } from 'ws';
import { EventsBench } from './support/events-bench.js';
import { BODY_LIMIT } from '../src/settings.js';
import { waitFor } from '@ssb/testing';
import { USERNAME } from './support/running-gateway.js';

/** Real here: the gateway, its WebSocket, the broker's process and stream, Redis. */
let bench: EventsBench;

beforeAll(async () => {
  bench = await EventsBench.set();
});

afterEach(() => bench.clear());

afterAll(() => bench?.stop());

describe('the plain form', () => {
  it('delivers, and counts as received what the socket has taken', async () => {
    const fqcn = await bench.broker.createChannel();
    const first = await bench.plain('?clientId=plain');
    await bench.send(fqcn, '"one"');
    const seen = (frames: unknown[]) => JSON.stringify(frames);
    await waitFor('one', () => seen(first.frames).includes('one'));
    first.socket.close();
    await once(first.socket, 'close');
    const second = await bench.plain('?clientId=plain');
    await bench.send(fqcn, '"two"');
    await waitFor('two', () => seen(second.frames).includes('two'));
    expect(seen(second.frames)).not.toContain('one');
  });

  it('sends what it is given, in order, and answers failures alone', async () => {
    const fqcn = await bench.broker.createChannel();
    const { socket, frames } = await bench.plain('?clientId=sender');
    const { payloads } = bench.listen('of-sender');
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

  it('takes of a list what is right and says what is wrong, passes over an empty one, and reads binary frames', async () => {
    const fqcn = await bench.broker.createChannel();
    const { socket, frames } = await bench.plain(`?clientId=mixed&replies=all&fqcn=${fqcn}`);
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
    await waitFor('all that was right', () => JSON.stringify(frames).includes('\\"m5\\"'));
    const payloads = (frames.flat() as { payload?: string }[]).flatMap(({ payload }) => payload ?? []);
    expect(payloads).toEqual(['"m1"', '"m4"', '"m5"']);
  });

  it('answers a ping with what it held', async () => {
    const { socket } = await bench.plain('?clientId=pinging&fqcn=none');
    const answered = once(socket, 'pong');
    socket.ping('to the gateway');
    expect(String((await answered)[0])).toBe('to the gateway');
  });

  it.each([
    ['', 'ack=explicit'],
    ['&ack=explicit', 'ids'],
  ])('says what is wrong with an acknowledgement, with the query "%s"', async (query, said) => {
    const { socket, frames } = await bench.plain(`?clientId=acknowledging&fqcn=none${query}`);
    socket.send('{"ack":"no list"}');
    const told = await waitFor('the error', () =>
      frames.find((each) => JSON.stringify(each).includes('REQ::')),
    );
    expect(told).toEqual({ err: expect.objectContaining({ reason: expect.stringContaining(said) }) });
  });

  it('answers successes as well when asked to', async () => {
    const fqcn = await bench.broker.createChannel();
    const { socket, frames } = await bench.plain('?clientId=replies&replies=all');
    socket.send(JSON.stringify({ fqcn, topic: 'free', payload: '1', transactionId: 'r1' }));
    await waitFor('the answer', () => JSON.stringify(frames).includes('"transactionId":"r1","id"'));
  });

  it.each([
    ['no JSON', '{', undefined],
    ['no payload', '{"fqcn":"a","transactionId":"x"}', 'x'],
    ['an acknowledgement, which needs ack=explicit', '{"ack":["a"]}', undefined],
    ['a number', '5', undefined],
    ['empty', '', undefined],
    ['null', 'null', undefined],
    ['a list in a list', '[[]]', undefined],
    ['binary and no text', Buffer.from([0, 255, 254, 10]), undefined],
    [
      'binary, with a payload that is no UTF-8',
      Buffer.from('{"fqcn":"a","payload":"\xff"}', 'latin1'),
      undefined,
    ],
    ['a list of too many', JSON.stringify(new Array(1_001).fill(1)), undefined],
    ['a payload that cannot be signed', String.raw`{"fqcn":"a","payload":"\ud83d","transactionId":"y"}`, 'y'],
  ])('answers a frame that is %s with an error, and stays', async (_name, frame, transactionId) => {
    const { socket, frames } = await bench.plain('?clientId=broken&fqcn=none.channels.a.apps.b.iam.c');
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

describe('a frame larger than any message may be', () => {
  it('ends the connection of the one who sent it', async () => {
    const { socket } = await bench.plain('?clientId=large');
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
    ['for a channel of a name too long', `/events?fqcn=${'c'.repeat(256)}`, undefined, 'dsb-messages', 400],
    ['at an odd address', '//', undefined, 'dsb-messages', 404],
    ['reliable without a name', '/events?ack=explicit', undefined, 'dsb-messages', 400],
  ])('%s is refused', async (_name, path, authorization, protocol, status) => {
    const [error] = (await once(bench.dial(path, protocol, authorization), 'error')) as [Error];
    expect(error.message).toContain(String(status));
  });
});
