import { once } from 'node:events';
import { basicAuthorization, CLOSE_TOO_SLOW } from '@ssb/bus';
import { WebSocket } from 'ws';
import { EventsFixture, type RawClient } from './support/events-fixture.js';
import { waitFor } from '@ssb/testing';
import { PASSWORD, startGateway, USERNAME } from './support/running-gateway.js';

/** Gateway, WebSocket, broker and Redis are real. The window is four, so that it fills. */
let events: EventsFixture;

beforeAll(async () => {
  events = await EventsFixture.start({ EVENTS_WINDOW: '4', EVENTS_MAX_CLIENTS: '150' });
});

afterEach(() => events.disconnectAll());

afterAll(() => events?.stop());

/** Payloads that a client received on a channel, in order. */
function payloads({ frames }: RawClient, fqcn: string): string[] {
  const messages = frames.flat() as { fqcn?: string; payload?: string }[];
  return messages.filter((each) => each.fqcn === fqcn).map(({ payload = '' }) => payload);
}

describe('clients without a client id', () => {
  it('each receive every message, and continue at their position', async () => {
    const fqcn = await events.broker.createChannel();
    const [one, two] = [await events.connect(), await events.connect()];
    await events.send(fqcn, '1', '2');
    await waitFor('both have both', () => [one, two].every((each) => payloads(each, fqcn).length === 2));
    one.socket.close();
    await once(one.socket, 'close');
    await events.send(fqcn, '3');
    await waitFor('the third', () => payloads(two, fqcn).includes('3'));
    two.socket.close();
    await once(two.socket, 'close');
    await events.send(fqcn, '4');
    const three = await events.connect();
    await waitFor('the fourth', () => payloads(three, fqcn).includes('4'));
    expect([payloads(one, fqcn), payloads(two, fqcn), payloads(three, fqcn)]).toEqual([
      ['1', '2'],
      ['1', '2', '3'],
      ['4'],
    ]);
  });

  it('are closed when they do not read, and do not slow the others', async () => {
    const fqcn = await events.broker.createChannel();
    const [slow, quick] = [await events.connect(`?fqcn=${fqcn}`), await events.connect(`?fqcn=${fqcn}`)];
    slow.socket.pause();
    // More than the operating system buffers for a socket that is not read.
    const large = Array.from({ length: 12 }, (_, n) => JSON.stringify(`${n}${'x'.repeat(1_000_000)}`));
    await events.send(fqcn, ...large);
    await waitFor('all', () => payloads(quick, fqcn).length === large.length);
    const closed = once(slow.socket, 'close');
    slow.socket.resume();
    // Terminated while it does not read, or closed with the reason when it does.
    expect([1006, CLOSE_TOO_SLOW]).toContain(((await closed) as [number])[0]);
  });
});

describe('reading over HTTP', () => {
  it('leaves the positions of other clients, over HTTP and WebSocket', async () => {
    const [fqcn, other] = [await events.broker.createChannel(), await events.broker.createChannel()];
    const listener = await events.connect(`?clientId=reader&fqcn=${fqcn}&fqcn=${other}`);
    for (const each of [fqcn, other]) await events.send(each, '1', '2', '3');
    const read = async (channel: string, clientId?: string, amount?: number): Promise<string[]> => {
      const query = { fqcn: channel, ...(clientId && { clientId }), ...(amount && { amount }) };
      return (await events.gateway.client.readMessages(query)).map(({ payload }) => payload);
    };
    expect(await read(fqcn, 'a', 2)).toEqual(['1', '2']);
    expect(await read(fqcn)).toEqual(['1', '2', '3']);
    expect(await read(fqcn, 'a')).toEqual(['3']);
    expect(await read(fqcn, 'a')).toEqual([]);
    expect(await read(other, 'a')).toEqual(['1', '2', '3']);
    expect(await read(fqcn, 'b')).toEqual(['1', '2', '3']);
    await waitFor('the WebSocket client has all', () =>
      [fqcn, other].every((each) => payloads(listener, each).length === 3),
    );
  });

  it('with from returns the same every time, and moves no position', async () => {
    const fqcn = await events.broker.createChannel();
    const from = new Date(Date.now() - 1_000).toISOString();
    await events.send(fqcn, '1', '2');
    const { client } = events.gateway;
    const first = await client.readMessages({ fqcn, from, clientId: 'again' });
    expect(first.map(({ payload }) => payload)).toEqual(['1', '2']);
    expect(await client.readMessages({ fqcn, from, clientId: 'again' })).toEqual(first);
    expect(await client.readMessages({ fqcn, clientId: 'again' })).toEqual(first);
    expect(await client.readMessages({ fqcn, clientId: 'again' })).toEqual([]);
    expect(await client.readMessages({ fqcn, from, clientId: 'again' })).toEqual(first);
  });
});

describe('a client that was disconnected longer than messages are kept', () => {
  it('gets a report of the gap, over HTTP and with gaps=report, and receives what follows', async () => {
    const fqcn = await events.broker.createChannel({ maxMsgAge: 1_000_000_000 });
    const { client } = events.gateway;
    const late = events.subscribe('late');
    const readIds: string[] = [];
    // On a slow machine a message may expire before it is read, so another is sent.
    await waitFor('the first, both ways', async () => {
      await events.send(fqcn, '"had"');
      const messages = await client.readMessages({ fqcn, clientId: 'late-http' });
      readIds.push(...messages.map(({ id }) => id));
      return late.payloads.includes('"had"') && readIds.length > 0;
    });
    await late.stream.stop();
    const { id: upTo } = await client.sendMessage({ fqcn, topic: 'free', payload: '"missed"' });
    const kept = { fqcn, from: new Date(0).toISOString() };
    await waitFor('it is removed', async () => (await client.readMessages(kept)).length === 0);

    const gaps: unknown[] = [];
    const onGap = (gap: unknown) => void gaps.push(gap);
    const polling = { fqcn, clientId: 'late-http', onGap };
    await waitFor('the gap over HTTP', async () => {
      await client.readMessages(polling);
      return gaps.length > 0;
    });
    expect(gaps[0]).toEqual({ fqcn, after: readIds.at(-1), upTo });
    await waitFor('a later message', async () => {
      await events.send(fqcn, '"later"');
      return (await client.readMessages(polling)).length > 0;
    });
    gaps.length = 0;
    await client.readMessages(polling);
    expect(gaps).toEqual([]);

    const query = `?clientId=late&ack=explicit&fqcn=${fqcn}`;
    const withReport = await events.connect(`${query}&gaps=report`);
    await waitFor('the gap', () => JSON.stringify(withReport.frames).includes('"gap"'));
    expect(withReport.frames[0]).toEqual({
      gap: { fqcn, after: expect.any(String), upTo: expect.any(String) },
    });
    const receivesNext = (to: RawClient) =>
      waitFor('what follows', async () => {
        await events.send(fqcn, '"next"');
        return payloads(to, fqcn).includes('"next"');
      });
    await receivesNext(withReport);
    const withoutReport = await events.connect(query);
    await receivesNext(withoutReport);
    expect(JSON.stringify(withoutReport.frames)).not.toContain('"gap"');
  });
});

describe('a client that does not respond pings', () => {
  it('is terminated, while one that answers stays connected', async () => {
    const gateway = await startGateway(events.broker.url, { EVENTS_LIVENESS_MS: '500' });
    try {
      const headers = { authorization: basicAuthorization(USERNAME, PASSWORD) };
      const address = `${gateway.url.replace('http', 'ws')}/events?fqcn=none`;
      const alive = new WebSocket(address, 'dsb-messages', { headers });
      const dead = new WebSocket(address, 'dsb-messages', { headers, autoPong: false });
      let pings = 0;
      alive.on('ping', () => (pings += 1));
      const [code] = (await once(dead, 'close')) as [number];
      expect(code).toBe(1006);
      const before = pings;
      await waitFor('more pings', () => pings > before + 3);
      expect(alive.readyState).toBe(WebSocket.OPEN);
      alive.terminate();
    } finally {
      await gateway.stop();
    }
  });
});

describe('one client above the limit', () => {
  it('is answered 503, and served once another has disconnected', async () => {
    const all = await Promise.all(Array.from({ length: 150 }, () => events.connect('?fqcn=none')));
    const [error] = (await once(events.openSocket('/events', 'dsb-messages'), 'error')) as [Error];
    expect(error.message).toContain('503');
    all[0]?.socket.close();
    await waitFor('room again', () =>
      events.connect('?fqcn=none').then(
        () => true,
        () => false,
      ),
    );
  });
});
