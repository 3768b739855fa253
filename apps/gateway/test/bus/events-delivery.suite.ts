import { once } from 'node:events';
import { CLOSE_SUPERSEDED, type Message } from '@ssb/bus';
import { generatePrivateKey } from '@ssb/identity';
import { waitFor } from '@ssb/testing';
import { WebSocket } from 'ws';
import { BODY_LIMIT } from '../../src/settings.js';
import { broker } from './shared-broker.js';
import { EventsFixture, getPayloads } from '../support/events-fixture.js';
import { startGateway } from '../support/running-gateway.js';

/** Gateway, WebSocket, broker and Redis are real. */
describe('a client of /events', () => {
  let events: EventsFixture;

  beforeAll(async () => {
    events = await EventsFixture.start(broker);
  });

  afterEach(() => events.disconnectAll());

  afterAll(() => events?.stop());

  const invalidRequest = expect.objectContaining({ code: 'REQ::INVALID_REQUEST' });

  describe('automatic acknowledgement', () => {
    it('delivers messages, which count as received once the socket has taken them', async () => {
      const fqcn = await broker.createChannel();
      const first = await events.connect('?clientId=plain');
      await events.send(fqcn, '"one"');
      await waitFor('one', () => getPayloads(first).includes('"one"'));
      first.socket.close();
      await once(first.socket, 'close');
      const second = await events.connect('?clientId=plain');
      await events.send(fqcn, '"two"');
      await waitFor('two', () => getPayloads(second).includes('"two"'));
      expect(getPayloads(second)).not.toContain('"one"');
      expect(second.frames.every(Array.isArray)).toBe(true);
    });

    it('sends messages in their order, and responds only to those that fail', async () => {
      const fqcn = await broker.createChannel();
      const { socket, frames } = await events.connect('?clientId=sender&fqcn=none');
      await waitFor('the refusal of the channel', () => frames.length === 1);
      const { payloads } = events.subscribe('of-sender', { fqcn: [fqcn] });
      const message = (transactionId: string, payload: string, topic = 'free') => ({
        ...{ fqcn, topic, payload, transactionId },
      });
      socket.send(JSON.stringify(message('w1', '"first"')));
      const list = [message('w2', '"second"'), message('w3', '{}', 'strict'), message('w4', '"third"')];
      socket.send(JSON.stringify(list));
      await waitFor('all', () => payloads.includes('"third"'));
      expect(payloads).toEqual(['"first"', '"second"', '"third"']);
      expect(frames.slice(1)).toEqual([
        { transactionId: 'w3', err: expect.objectContaining({ code: 'BUS::MESSAGE_REJECTED' }) },
      ]);
    });

    it('sends the valid messages of a list, reports the invalid ones, and reads binary frames', async () => {
      const fqcn = await broker.createChannel();
      const client = await events.connect(`?clientId=mixed&replies=all&fqcn=${fqcn}`);
      const { socket, frames } = client;
      const message = (transactionId: string, more: object = {}) => ({
        ...{ fqcn, topic: 'free', payload: `"${transactionId}"`, transactionId },
        ...more,
      });
      socket.send('[]');
      const wrong = [5, message('m2', { topic: 'none' }), message('m3', { topic: null, fqcn: null })];
      socket.send(JSON.stringify([message('m1'), ...wrong, message('m4')]));
      socket.send(Buffer.from(JSON.stringify(message('m5'))));
      const replies = () =>
        frames.filter((frame) => !Array.isArray(frame) && !('payload' in (frame as object)));
      await waitFor('the last response', () => JSON.stringify(replies()).includes('"m5"'));
      expect(replies()).toEqual([
        { transactionId: 'm1', id: expect.any(String) },
        { err: invalidRequest },
        { transactionId: 'm2', err: expect.objectContaining({ code: 'BUS::CHANNEL_NOT_FOUND' }) },
        { transactionId: 'm3', err: invalidRequest },
        { transactionId: 'm4', id: expect.any(String) },
        { transactionId: 'm5', id: expect.any(String) },
      ]);
      await waitFor('the valid messages', () => getPayloads(client).includes('"m5"'));
      expect(getPayloads(client)).toEqual(['"m1"', '"m4"', '"m5"']);
    });

    it('responds to each invalid frame with an error, and stays open', async () => {
      const { socket, frames } = await events.connect('?clientId=broken&fqcn=none');
      await waitFor('the refusal of the channel', () => frames.length === 1);
      const invalid: readonly (readonly [frame: string | Buffer, transactionId?: string])[] = [
        ['{'],
        ['{"fqcn":"a","transactionId":"x"}', 'x'],
        ['{"ack":["a"]}'],
        ['{"ack":"no list"}'],
        ['5'],
        [''],
        ['null'],
        ['[[]]'],
        [Buffer.from([0, 255, 254, 10])],
        [Buffer.from('{"fqcn":"a","payload":"\xff"}', 'latin1')],
        [JSON.stringify(new Array(1_001).fill(1))],
        // A payload that cannot be signed.
        [String.raw`{"fqcn":"a","payload":"\ud83d","transactionId":"y"}`, 'y'],
      ];
      for (const [frame] of invalid) socket.send(frame);
      await waitFor('all errors', () => frames.length > invalid.length);
      expect(frames.slice(1)).toEqual(
        invalid.map(([, transactionId]) => ({
          ...(transactionId && { transactionId }),
          err: invalidRequest,
        })),
      );
      expect(socket.readyState).toBe(WebSocket.OPEN);
    });
  });

  it('a message with a trace context, valid or not, is delivered with the fields of document 002', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const fqcn = await broker.createChannel();
    const { frames } = await events.connect(`?clientId=traced&fqcn=${fqcn}`);
    const contexts = [traceparent, 'forged', `cc${traceparent.slice(2)}-${'x'.repeat(4_000)}`];
    for (const context of contexts) {
      const message = { fqcn, topic: 'free', payload: '1' };
      await events.gateway.client.sendMessage(message, { traceparent: context });
    }
    await waitFor('all messages', () => frames.flat().length === contexts.length);
    const fields = ['fqcn', 'id', 'payload', 'sender', 'signature', 'timestampNanos', 'topic'];
    for (const each of frames.flat()) expect(Object.keys(each as Message).toSorted()).toEqual(fields);
  });

  it('a frame above the size limit closes the connection of its sender', async () => {
    const { socket } = await events.connect('?clientId=large');
    socket.send('x'.repeat(BODY_LIMIT + 1));
    expect(((await once(socket, 'close')) as [number])[0]).toBe(1009);
  });

  it.each([
    ['at another address', '/event', 'dsb-messages', 404],
    ['at a malformed address', '//', 'dsb-messages', 404],
    ['with another sub-protocol', '/events', 'chat', 400],
    ['with a wrong query', '/events?window=0', 'dsb-messages', 400],
  ])('an upgrade %s is refused', async (_name, path, protocol, status) => {
    const [error] = (await once(events.openSocket(path, protocol), 'error')) as [Error];
    expect(error.message).toContain(String(status));
  });

  describe('acknowledged delivery', () => {
    it('receives again what it did not acknowledge, and nothing else', async () => {
      const fqcn = await broker.createChannel();
      const first = events.subscribe('again');
      await events.send(fqcn, '"a"');
      await waitFor('a', () => first.payloads.includes('"a"'));
      first.acknowledging = false;
      await events.send(fqcn, '"b"', '"c"');
      await waitFor('c', () => first.payloads.includes('"c"'));
      await first.stream.stop();
      const second = events.subscribe('again');
      await waitFor('b and c again', () => second.payloads.length >= 2);
      await events.send(fqcn, '"d"');
      await waitFor('d', () => second.payloads.includes('"d"'));
      expect(second.payloads).toEqual(['"b"', '"c"', '"d"']);
    });

    it('begins at the time of its first query, and continues when it was away', async () => {
      const fqcn = await broker.createChannel();
      await events.send(fqcn, '"before"');
      await events.send(fqcn, '"since then"');
      const [, sinceThen] = await events.gateway.client.readMessages({ fqcn, clientId: 'times' });
      if (sinceThen === undefined) throw new Error('no message');
      const from = new Date(Number(sinceThen.timestampNanos / 1_000_000n));
      const first = events.subscribe('since', { fqcn: [fqcn], from, acknowledging: false });
      await waitFor('the message', () => first.payloads.includes('"since then"'));
      await first.stream.stop();
      await events.send(fqcn, '"away"');
      const second = events.subscribe('since', { fqcn: [fqcn], from: 'now' });
      await waitFor('the next message', () => second.payloads.includes('"away"'));
      expect([first.payloads, second.payloads]).toEqual([['"since then"'], ['"since then"', '"away"']]);
    });

    it('begins with what is sent from now on', async () => {
      const fqcn = await broker.createChannel();
      await events.send(fqcn, '"old"');
      const { payloads } = events.subscribe('from-now', { fqcn: [fqcn], from: 'now' });
      await waitFor('a new message', async () => {
        await events.send(fqcn, '"new"');
        return payloads.length > 0;
      });
      expect(new Set(payloads)).toEqual(new Set(['"new"']));
    });

    it('has at most as many unacknowledged messages as its window', async () => {
      const fqcn = await broker.createChannel();
      const slow = events.subscribe('window', { window: 2, acknowledging: false, fqcn: [fqcn] });
      const quick = events.subscribe('window-quick', { fqcn: [fqcn] });
      await events.send(fqcn, '11', '12', '13', '14', '15');
      await waitFor('the quick subscriber has all', () => quick.payloads.includes('15'));
      await waitFor('a full window', () => slow.payloads.length >= 2);
      expect(slow.payloads).toEqual(['11', '12']);
    });

    it('refuses an invalid acknowledgement, and is closed when a newer one with the same client id connects', async () => {
      const first = await events.connect('?ack=explicit&clientId=twin');
      first.socket.send('{"ack":"no list"}');
      await waitFor('the refusal', () => JSON.stringify(first.frames).includes('REQ::INVALID_REQUEST'));
      const closed = once(first.socket, 'close');
      await events.connect('?ack=explicit&clientId=twin');
      expect((await closed)[0]).toBe(CLOSE_SUPERSEDED);
      expect(first.frames).toContainEqual({ err: expect.objectContaining({ code: 'BUS::SUPERSEDED' }) });
    });
  });

  describe('a subscriber', () => {
    it('gets an error for each channel that it loses, and again when it loses one again', async () => {
      const { did } = await events.gateway.client.enrolment();
      const [one, two, kept] = [
        await broker.createChannel(),
        await broker.createChannel(),
        await broker.createChannel(),
      ];
      const client = await events.connect(`?clientId=losing&fqcn=${one}&fqcn=${two}&fqcn=${kept}`);
      const lost: unknown[] = [];
      const lose = async (fqcn: string) => {
        await broker.changeChannel(fqcn, { subscribers: [`did:ethr:0x${'1'.padStart(40, '0')}`] });
        lost.push({
          code: 'BUS::CHANNEL_UNAUTHORIZED',
          reason: expect.any(String),
          additionalInformation: { fqcn, right: 'subscribe' },
        });
        await waitFor('the error', () => getErrors().length === lost.length);
      };
      const getErrors = () => (client.frames as { err?: unknown }[]).flatMap(({ err }) => err ?? []);
      const receive = async (fqcn: string, payload: string) => {
        await events.send(fqcn, payload);
        await waitFor(payload, () => getPayloads(client).includes(payload));
      };
      await receive(kept, '"it receives"');
      await lose(one);
      await lose(two);
      await broker.changeChannel(one, { subscribers: [did] });
      await receive(one, '"the right is back"');
      await lose(one);
      expect(getErrors()).toEqual(lost);
    });

    it('that loses its role gets an error, and continues at its offset when the role is back', async () => {
      const { did } = await events.gateway.client.enrolment();
      const fqcn = await broker.createChannel();
      const { payloads, faults } = events.subscribe('revoked', { window: 1 });
      await events.send(fqcn, '"while enrolled"', '"still enrolled"');
      // The broker sends the second message when it has the acknowledgement of the first.
      await waitFor('the second', () => payloads.includes('"still enrolled"'));
      await broker.decide(did, 'revoke');
      await waitFor('the error', () => faults.some(({ err }) => err !== undefined));
      await broker.decide(did, 'approve');
      await events.send(fqcn, '"enrolled again"');
      await waitFor('the next message', () => payloads.includes('"enrolled again"'));
      expect(payloads.filter((payload) => payload === '"while enrolled"')).toHaveLength(1);
    });

    it('keeps its connection when the identity changes, and receives as the new one', async () => {
      const fqcn = await broker.createChannel();
      const { payloads, states } = events.subscribe('changing');
      await waitFor('connected', () => states.some(({ state }) => state === 'connected'));
      await events.gateway.enrolNewIdentity(broker);
      await events.send(fqcn, '"for the new one"');
      await waitFor('delivered', () => payloads.includes('"for the new one"'));
      expect(states.filter(({ state }) => state === 'disconnected')).toEqual([]);
    });

    it('of a gateway that is not enrolled gets an error, and receives everything once it is enrolled', async () => {
      const other = await startGateway(broker.url);
      try {
        const fqcn = await broker.createChannel();
        await events.send(fqcn, '"early"');
        const payloads: string[] = [];
        const faults: (string | undefined)[] = [];
        const stream = other.stream({
          delivery: { mode: 'acknowledged', clientId: 'early' },
          onMessages: (batch) => payloads.push(...batch.map(({ payload }) => payload)),
          onFault: ({ err }) => faults.push(err?.code),
        });
        stream.start();
        await other.client.setIdentity(generatePrivateKey().toHex());
        await waitFor('the error', () => faults.includes('BUS::FORBIDDEN_RESOURCE'));
        const { did } = await other.client.enrol();
        await broker.decide(did, 'approve');
        await waitFor('delivered', () => payloads.includes('"early"'));
        await stream.stop();
      } finally {
        await other.stop();
      }
    });
  });
});
