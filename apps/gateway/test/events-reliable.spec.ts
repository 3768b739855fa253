import { once } from 'node:events';
import { CLOSE_SUPERSEDED } from '@ssb/bus';
import { generatePrivateKey } from '@ssb/identity';
import { EventsFixture } from './support/events-fixture.js';
import { waitFor } from '@ssb/testing';
import { startGateway } from './support/running-gateway.js';

/** Gateway, WebSocket, broker and Redis are real. */
let events: EventsFixture;

beforeAll(async () => {
  events = await EventsFixture.start();
});

afterEach(() => events.disconnectAll());

afterAll(() => events?.stop());

describe('acknowledged delivery', () => {
  it('receives again what it did not acknowledge, and nothing else', async () => {
    const fqcn = await events.broker.createChannel();
    const first = events.subscribe('again');
    await waitFor('connected', () => first.states.some(({ state }) => state === 'connected'));
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

  it('has at most as many unacknowledged messages as its window', async () => {
    const fqcn = await events.broker.createChannel();
    const slow = events.subscribe('window', { window: 2, acknowledging: false, fqcn: [fqcn] });
    const quick = events.subscribe('window-quick');
    await events.send(fqcn, '11', '12', '13', '14', '15');
    await waitFor('the quick subscriber has all', () => quick.payloads.includes('15'));
    await waitFor('a full window', () => slow.payloads.length >= 2);
    expect(slow.payloads).toEqual(['11', '12']);
  });

  it('receives nothing twice that it acknowledged while the broker was stopped', async () => {
    const fqcn = await events.broker.createChannel();
    const { socket, frames } = await events.connect(`?clientId=away-ack&ack=explicit&fqcn=${fqcn}`);
    const payloads = () => (frames.flat() as { payload?: string }[]).map(({ payload }) => payload);
    await events.send(fqcn, '"held"');
    await waitFor('held', () => payloads().includes('"held"'));
    await events.broker.kill();
    const [held] = frames.flat() as { id: string }[];
    socket.send(JSON.stringify({ ack: [held?.id] }));
    // The gateway answers a ping after it has read what came before.
    socket.ping();
    await once(socket, 'pong');
    await events.broker.start();
    await events.send(fqcn, '"next"');
    await waitFor('next', () => payloads().includes('"next"'));
    expect(payloads()).toEqual(['"held"', '"next"']);
  });

  it('is closed when a newer one with the same client id connects', async () => {
    const first = await events.connect('?ack=explicit&clientId=twin');
    const closed = once(first.socket, 'close');
    await events.connect('?ack=explicit&clientId=twin');
    expect((await closed)[0]).toBe(CLOSE_SUPERSEDED);
    expect(first.frames).toContainEqual({ err: expect.objectContaining({ code: 'BUS::SUPERSEDED' }) });
  });
});

describe('a subscriber of a gateway', () => {
  it('gets an error for each channel that it loses, and again when it loses one again', async () => {
    const { did } = await events.gateway.client.enrolment();
    const [one, two, kept] = [
      await events.broker.createChannel(),
      await events.broker.createChannel(),
      await events.broker.createChannel(),
    ];
    const client = await events.connect(`?clientId=losing&fqcn=${one}&fqcn=${two}&fqcn=${kept}`);
    const hasReceived = (payload: string) => JSON.stringify(client.frames).includes(payload);
    const getErrors = () =>
      (client.frames as { err?: { code: string; additionalInformation: unknown } }[]).flatMap(
        ({ err }) => err ?? [],
      );
    const noSubscribers = { subscribers: ['did:ethr:0x0000000000000000000000000000000000000001'] };
    await events.send(kept, '"it receives"');
    await waitFor('it receives', () => hasReceived('it receives'));
    await events.broker.changeChannel(one, noSubscribers);
    await waitFor('the first loss', () => getErrors().length === 1);
    await events.broker.changeChannel(two, noSubscribers);
    await waitFor('the second', () => getErrors().length === 2);
    await events.broker.changeChannel(one, { subscribers: [did] });
    await events.send(one, '"the right is back"');
    await waitFor('the right is back', () => hasReceived('the right is back'));
    await events.broker.changeChannel(one, noSubscribers);
    await waitFor('lost again', () => getErrors().length === 3);
    expect(getErrors()).toEqual(
      [one, two, one].map((fqcn) =>
        expect.objectContaining({
          code: 'BUS::CHANNEL_UNAUTHORIZED',
          additionalInformation: { fqcn, right: 'subscribe' },
        }),
      ),
    );
  });

  it('that loses its role gets an error, and continues at its position when the role is back', async () => {
    const { did } = await events.gateway.client.enrolment();
    const fqcn = await events.broker.createChannel();
    const { payloads, faults } = events.subscribe('revoked', { window: 1 });
    await events.send(fqcn, '"while enrolled"', '"still enrolled"');
    // The broker sends the second message when it has the acknowledgement of the first.
    await waitFor('the second', () => payloads.includes('"still enrolled"'));
    await events.broker.decide(did, 'revoke');
    await waitFor('the error', () => faults.some(({ err }) => err !== undefined));
    await events.broker.decide(did, 'approve');
    await events.send(fqcn, '"enrolled again"');
    await waitFor('the next message', () => payloads.includes('"enrolled again"'));
    expect(payloads.filter((payload) => payload === '"while enrolled"')).toHaveLength(1);
  });

  it('keeps its connection when the identity changes, and receives as the new one', async () => {
    const fqcn = await events.broker.createChannel();
    const { payloads, states } = events.subscribe('changing');
    await waitFor('connected', () => states.some(({ state }) => state === 'connected'));
    await events.gateway.enrolNewIdentity(events.broker);
    await events.send(fqcn, '"for the new one"');
    await waitFor('delivered', () => payloads.includes('"for the new one"'));
    expect(states.filter(({ state }) => state === 'disconnected')).toEqual([]);
  });
});

describe('a subscriber whose gateway is not enrolled yet', () => {
  it('gets an error, and receives everything once the gateway is enrolled', async () => {
    const other = await startGateway(events.broker.url);
    try {
      const fqcn = await events.broker.createChannel();
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
      await events.broker.decide(did, 'approve');
      await waitFor('delivered', () => payloads.includes('"early"'));
      await stream.stop();
    } finally {
      await other.stop();
    }
  });
});
