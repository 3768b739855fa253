import { once } from 'node:events';
import { CLOSE_SUPERSEDED } from '@ssb/bus';
import { generatePrivateKey } from '@ssb/identity';
import { EventsBench } from './support/events-bench.js';
import { waitFor } from '@ssb/testing';
import { startGateway } from './support/running-gateway.js';

/** Real here: the gateway, its WebSocket, the broker's process and stream, Redis. */
let bench: EventsBench;

beforeAll(async () => {
  bench = await EventsBench.set();
});

afterEach(() => bench.clear());

afterAll(() => bench?.stop());

describe('a reliable subscriber', () => {
  it('gets what was sent before and after it came, in order', async () => {
    const fqcn = await bench.broker.createChannel();
    await bench.send(fqcn, '1', '2');
    const { payloads } = bench.listen('order');
    await waitFor('the first two', () => payloads.length >= 2);
    await bench.send(fqcn, '3');
    await waitFor('the third', () => payloads.length >= 3);
    expect(payloads).toEqual(['1', '2', '3']);
  });

  it('gets again what it did not acknowledge, and nothing else', async () => {
    const fqcn = await bench.broker.createChannel();
    const first = bench.listen('again');
    await waitFor('connected', () => first.states.some(({ state }) => state === 'connected'));
    await bench.send(fqcn, '"a"');
    await waitFor('a', () => first.payloads.includes('"a"'));
    first.acknowledging = false;
    await bench.send(fqcn, '"b"', '"c"');
    await waitFor('c', () => first.payloads.includes('"c"'));
    await first.stream.stop();
    const second = bench.listen('again');
    await waitFor('b and c again', () => second.payloads.length >= 2);
    await bench.send(fqcn, '"d"');
    await waitFor('d', () => second.payloads.includes('"d"'));
    expect(second.payloads).toEqual(['"b"', '"c"', '"d"']);
  });

  it('has no more in hand than its window', async () => {
    const fqcn = await bench.broker.createChannel();
    const slow = bench.listen('window', { window: 2, acknowledging: false });
    const quick = bench.listen('window-quick');
    await bench.send(fqcn, '11', '12', '13', '14', '15');
    await waitFor('the quick one has all', () => quick.payloads.includes('15'));
    expect(slow.payloads.filter((payload) => payload.startsWith('1')).length).toBeLessThanOrEqual(2);
  });

  it('keeps its connection while the broker is away, and gets the rest afterwards', async () => {
    const fqcn = await bench.broker.createChannel();
    const { payloads, states } = bench.listen('outage');
    await bench.send(fqcn, '"before"');
    await waitFor('the first', () => payloads.includes('"before"'));
    await bench.broker.kill();
    await bench.broker.start();
    await bench.send(fqcn, '"after"');
    await waitFor('the second', () => payloads.includes('"after"'));
    expect(states.filter(({ state }) => state !== 'connected')).toEqual([]);
  });

  it('acknowledged after the broker came back, gets nothing twice', async () => {
    const fqcn = await bench.broker.createChannel();
    const first = bench.listen('outage-ack', { acknowledging: false });
    await bench.send(fqcn, '"held"');
    await waitFor('held', () => first.payloads.includes('"held"'));
    await bench.broker.kill();
    await bench.broker.start();
    first.acknowledging = true;
    await waitFor('held again', () => first.payloads.filter((payload) => payload === '"held"').length === 2);
    await first.stream.stop();
    const second = bench.listen('outage-ack');
    await bench.send(fqcn, '"next"');
    await waitFor('next', () => second.payloads.includes('"next"'));
    expect(second.payloads).not.toContain('"held"');
  });

  it('acknowledged while the broker was away, gets nothing twice', async () => {
    const fqcn = await bench.broker.createChannel();
    const { socket, frames } = await bench.plain(`?clientId=away-ack&ack=explicit&fqcn=${fqcn}`);
    const payloads = () => (frames.flat() as { payload?: string }[]).map(({ payload }) => payload);
    await bench.send(fqcn, '"held"');
    await waitFor('held', () => payloads().includes('"held"'));
    await bench.broker.kill();
    const [held] = frames.flat() as { id: string }[];
    socket.send(JSON.stringify({ ack: [held?.id] }));
    // The gateway has read what came before a ping that it answers.
    socket.ping();
    await once(socket, 'pong');
    await bench.broker.start();
    await bench.send(fqcn, '"next"');
    await waitFor('next', () => payloads().includes('"next"'));
    expect(payloads()).toEqual(['"held"', '"next"']);
  });

  it('gives way to a newer one with the same name', async () => {
    const first = await bench.plain('?ack=explicit&clientId=twin');
    const closed = once(first.socket, 'close');
    await bench.plain('?ack=explicit&clientId=twin');
    expect((await closed)[0]).toBe(CLOSE_SUPERSEDED);
    expect(first.frames).toContainEqual({ err: expect.objectContaining({ code: 'BUS::SUPERSEDED' }) });
  });

  it('comes back by itself when the gateway restarts', async () => {
    const fqcn = await bench.broker.createChannel();
    const { payloads, states } = bench.listen('restart');
    await waitFor('connected', () => states.some(({ state }) => state === 'connected'));
    await bench.gateway.restart();
    await bench.send(fqcn, '"after the restart"');
    await waitFor('delivered', () => payloads.includes('"after the restart"'));
    expect(states.map(({ state }) => state)).toContain('disconnected');
  });
});

describe('a subscriber of a gateway', () => {
  it('is told of each channel that it loses, and again when it loses one again', async () => {
    const { did } = await bench.gateway.client.enrolment();
    const [one, two, kept] = [
      await bench.broker.createChannel(),
      await bench.broker.createChannel(),
      await bench.broker.createChannel(),
    ];
    const client = await bench.plain(`?clientId=losing&fqcn=${one}&fqcn=${two}&fqcn=${kept}`);
    const got = (payload: string) => JSON.stringify(client.frames).includes(payload);
    const told = () =>
      (client.frames as { err?: { code: string; additionalInformation: unknown } }[]).flatMap(
        ({ err }) => err ?? [],
      );
    const nobody = { subscribers: ['did:ethr:0x0000000000000000000000000000000000000001'] };
    await bench.send(kept, '"it listens"');
    await waitFor('it listens', () => got('it listens'));
    await bench.broker.changeChannel(one, nobody);
    await waitFor('the first loss', () => told().length === 1);
    await bench.broker.changeChannel(two, nobody);
    await waitFor('the second', () => told().length === 2);
    await bench.broker.changeChannel(one, { subscribers: [did] });
    await bench.send(one, '"it has it back"');
    await waitFor('it has it back', () => got('it has it back'));
    await bench.broker.changeChannel(one, nobody);
    await waitFor('lost again', () => told().length === 3);
    expect(told()).toEqual(
      [one, two, one].map((fqcn) =>
        expect.objectContaining({
          code: 'BUS::CHANNEL_UNAUTHORIZED',
          additionalInformation: { fqcn, right: 'subscribe' },
        }),
      ),
    );
  });

  it('that loses its role is told, and goes on where it was when the role comes back', async () => {
    const { did } = await bench.gateway.client.enrolment();
    const fqcn = await bench.broker.createChannel();
    const { payloads, states } = bench.listen('revoked');
    await bench.send(fqcn, '"while enrolled"');
    await waitFor('the first', () => payloads.includes('"while enrolled"'));
    await bench.broker.decide(did, 'revoke');
    await waitFor('told', () => states.some((state) => state.state === 'fault' && state.err !== undefined));
    await bench.broker.decide(did, 'approve');
    await bench.send(fqcn, '"enrolled again"');
    await waitFor('the second', () => payloads.includes('"enrolled again"'));
    expect(payloads.filter((payload) => payload === '"while enrolled"')).toHaveLength(1);
  });

  it('that gets another identity keeps its connection, and hears as the new one', async () => {
    const fqcn = await bench.broker.createChannel();
    const { payloads, states } = bench.listen('changing');
    await waitFor('connected', () => states.some(({ state }) => state === 'connected'));
    await bench.gateway.enrolNew(bench.broker);
    await bench.send(fqcn, '"for the new one"');
    await waitFor('delivered', () => payloads.includes('"for the new one"'));
    expect(states.filter(({ state }) => state === 'disconnected')).toEqual([]);
  });
});

describe('a subscriber whose gateway is not enrolled yet', () => {
  it('is told so, and gets everything once it is', async () => {
    const other = await startGateway(bench.broker.url);
    try {
      const fqcn = await bench.broker.createChannel();
      await bench.send(fqcn, '"early"');
      const payloads: string[] = [];
      const faults: (string | undefined)[] = [];
      const stream = other.stream({
        clientId: 'early',
        onMessages: (batch) => payloads.push(...batch.map(({ payload }) => payload)),
        onState: (state) => state.state === 'fault' && faults.push(state.err?.code),
      });
      stream.start();
      await other.client.setIdentity(generatePrivateKey().toHex());
      await waitFor('told', () => faults.includes('BUS::FORBIDDEN_RESOURCE'));
      const { did } = await other.client.enrol();
      await bench.broker.decide(did, 'approve');
      await waitFor('delivered', () => payloads.includes('"early"'));
      await stream.stop();
    } finally {
      await other.stop();
    }
  });
});
