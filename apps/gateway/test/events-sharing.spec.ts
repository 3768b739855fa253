import { once } from 'node:events';
import { basicAuthorization, CLOSE_TOO_SLOW } from '@ssb/bus';
import { WebSocket } from 'ws';
import { EventsBench, type PlainClient } from './support/events-bench.js';
import { waitFor } from '@ssb/testing';
import { PASSWORD, startGateway, USERNAME } from './support/running-gateway.js';

/** Real here: the gateway, its WebSocket, the broker's process and stream, Redis. A window of four, so that it fills. */
let bench: EventsBench;

beforeAll(async () => {
  bench = await EventsBench.set({ EVENTS_WINDOW: '4', EVENTS_MAX_CLIENTS: '150' });
});

afterEach(() => bench.clear());

afterAll(() => bench?.stop());

/** Payloads that a client got on a channel, in order. */
function payloads({ frames }: PlainClient, fqcn: string): string[] {
  const messages = frames.flat() as { fqcn?: string; payload?: string }[];
  return messages.filter((each) => each.fqcn === fqcn).map(({ payload = '' }) => payload);
}

describe('clients that give no name', () => {
  it('each get every message, and go on where they were', async () => {
    const fqcn = await bench.broker.createChannel();
    const [one, two] = [await bench.plain(), await bench.plain()];
    await bench.send(fqcn, '1', '2');
    await waitFor('both have both', () => [one, two].every((each) => payloads(each, fqcn).length === 2));
    one.socket.close();
    await once(one.socket, 'close');
    await bench.send(fqcn, '3');
    await waitFor('the third', () => payloads(two, fqcn).includes('3'));
    two.socket.close();
    await once(two.socket, 'close');
    await bench.send(fqcn, '4');
    const three = await bench.plain();
    await waitFor('the fourth', () => payloads(three, fqcn).includes('4'));
    expect([payloads(one, fqcn), payloads(two, fqcn), payloads(three, fqcn)]).toEqual([
      ['1', '2'],
      ['1', '2', '3'],
      ['4'],
    ]);
  });

  it('take nothing from those that listen to one of the channels', async () => {
    const [fqcn, other] = [await bench.broker.createChannel(), await bench.broker.createChannel()];
    const all = await bench.plain();
    const some = await bench.plain(`?fqcn=${fqcn}`);
    for (const each of [fqcn, other]) await bench.send(each, '1', '2');
    await waitFor('everything', () => payloads(all, fqcn).length + payloads(all, other).length === 4);
    await waitFor('its channel', () => payloads(some, fqcn).length === 2);
    expect(payloads(some, other)).toEqual([]);
  });

  it('each get everything when one frame fills the window, as long as they read', async () => {
    const fqcn = await bench.broker.createChannel();
    const readers = [await bench.plain(`?fqcn=${fqcn}`), await bench.plain(`?fqcn=${fqcn}`)];
    const all = Array.from({ length: 40 }, (_, n) => String(n));
    await Promise.all(all.map((payload) => bench.send(fqcn, payload)));
    await waitFor('both have all', () => readers.every((each) => payloads(each, fqcn).length >= 40));
    const inOrder = (each: PlainClient) =>
      payloads(each, fqcn).sort((one, other) => Number(one) - Number(other));
    expect(readers.map(inOrder)).toEqual([all, all]);
    expect(readers.map(({ socket }) => socket.readyState)).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
  });

  it('are let go when they do not read, and slow nobody', async () => {
    const fqcn = await bench.broker.createChannel();
    const [slow, quick] = [await bench.plain(`?fqcn=${fqcn}`), await bench.plain(`?fqcn=${fqcn}`)];
    slow.socket.pause();
    // More than the operating system keeps for a socket that nobody reads.
    const large = Array.from({ length: 12 }, (_, n) => JSON.stringify(`${n}${'x'.repeat(1_000_000)}`));
    await bench.send(fqcn, ...large);
    await waitFor('all', () => payloads(quick, fqcn).length === large.length);
    const closed = once(slow.socket, 'close');
    slow.socket.resume();
    // Cut off when it read no further, or told so when it did.
    expect([1006, CLOSE_TOO_SLOW]).toContain(((await closed) as [number])[0]);
  });
});

describe('clients with names', () => {
  it('each get everything, a hundred of them', async () => {
    const fqcn = await bench.broker.createChannel();
    const names = Array.from({ length: 100 }, (_, n) => `named-${n}`);
    const clients = await Promise.all(names.map((name) => bench.plain(`?clientId=${name}&fqcn=${fqcn}`)));
    await bench.send(fqcn, '"all of you"');
    await waitFor('everybody', () => clients.every((each) => payloads(each, fqcn).includes('"all of you"')));
    expect(clients.map((each) => payloads(each, fqcn))).toEqual(names.map(() => ['"all of you"']));
  });

  it('are not slowed by one that neither reads nor acknowledges', async () => {
    const fqcn = await bench.broker.createChannel();
    const slow = await bench.plain(`?clientId=slow&ack=explicit&window=100&fqcn=${fqcn}`);
    slow.socket.pause();
    const quick = bench.listen('quick', { window: 4 });
    const large = Array.from({ length: 12 }, (_, n) => JSON.stringify(`${n}${'x'.repeat(1_000_000)}`));
    await bench.send(fqcn, ...large);
    await waitFor('all', () => large.every((payload) => quick.payloads.includes(payload)));
  });
});

describe('reading over HTTP', () => {
  it('takes nothing from another client, whichever way that reads', async () => {
    const [fqcn, other] = [await bench.broker.createChannel(), await bench.broker.createChannel()];
    const listener = await bench.plain(`?clientId=reader&fqcn=${fqcn}&fqcn=${other}`);
    for (const each of [fqcn, other]) await bench.send(each, '1', '2', '3');
    const read = async (channel: string, clientId?: string, amount?: number): Promise<string[]> => {
      const query = { fqcn: channel, ...(clientId && { clientId }), ...(amount && { amount }) };
      return (await bench.gateway.client.readMessages(query)).map(({ payload }) => payload);
    };
    expect(await read(fqcn, 'a', 2)).toEqual(['1', '2']);
    expect(await read(fqcn)).toEqual(['1', '2', '3']);
    expect(await read(fqcn, 'a')).toEqual(['3']);
    expect(await read(fqcn, 'a')).toEqual([]);
    expect(await read(other, 'a')).toEqual(['1', '2', '3']);
    expect(await read(fqcn, 'b')).toEqual(['1', '2', '3']);
    await waitFor('the listener has all', () =>
      [fqcn, other].every((each) => payloads(listener, each).length === 3),
    );
  });

  it('from a moment on is the same again and again, and moves nothing', async () => {
    const fqcn = await bench.broker.createChannel();
    const from = new Date(Date.now() - 1_000).toISOString();
    await bench.send(fqcn, '1', '2');
    const { client } = bench.gateway;
    const first = await client.readMessages({ fqcn, from, clientId: 'again' });
    expect(first.map(({ payload }) => payload)).toEqual(['1', '2']);
    expect(await client.readMessages({ fqcn, from, clientId: 'again' })).toEqual(first);
    expect(await client.readMessages({ fqcn, clientId: 'again' })).toEqual(first);
    expect(await client.readMessages({ fqcn, clientId: 'again' })).toEqual([]);
    expect(await client.readMessages({ fqcn, from, clientId: 'again' })).toEqual(first);
  });

  it('and the WebSocket show the same nanoseconds, to the digit', async () => {
    const fqcn = await bench.broker.createChannel();
    const listener = bench.dial(`/events?clientId=digits&fqcn=${fqcn}`, 'dsb-messages');
    const frames: string[] = [];
    listener.on('message', (data: Buffer) => frames.push(data.toString('utf8')));
    await bench.send(fqcn, '1');
    const [message] = await bench.gateway.client.readMessages({ fqcn, clientId: 'digits-http' });
    await waitFor('pushed', () => frames.length > 0);
    const digits = /"timestampNanos":(\d+)[,}]/.exec(frames[0] ?? '')?.[1];
    expect(digits).toMatch(/^\d{19}$/);
    expect(message?.timestampNanos).toBe(BigInt(digits ?? ''));
  });
});

describe('a client that was away longer than messages are kept', () => {
  it('is told that it missed some when it can hear it, over HTTP too, and gets what follows', async () => {
    const fqcn = await bench.broker.createChannel({ maxMsgAge: 1_000_000_000 });
    const { client } = bench.gateway;
    const late = bench.listen('late');
    const had: string[] = [];
    // On a slow machine a message may be too old before it is had: then the next one is.
    await waitFor('the first, both ways', async () => {
      await bench.send(fqcn, '"had"');
      const messages = await client.readMessages({ fqcn, clientId: 'late-http' });
      had.push(...messages.map(({ id }) => id));
      return late.payloads.includes('"had"') && had.length > 0;
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
    expect(gaps[0]).toEqual({ fqcn, after: had.at(-1), upTo });
    await waitFor('a later message', async () => {
      await bench.send(fqcn, '"later"');
      return (await client.readMessages(polling)).length > 0;
    });
    gaps.length = 0;
    await client.readMessages(polling);
    expect(gaps).toEqual([]);

    const query = `?clientId=late&ack=explicit&fqcn=${fqcn}`;
    const told = await bench.plain(`${query}&gaps=tell`);
    await waitFor('the gap', () => JSON.stringify(told.frames).includes('"gap"'));
    expect(told.frames[0]).toEqual({ gap: { fqcn, after: expect.any(String), upTo: expect.any(String) } });
    const follows = (to: PlainClient) =>
      waitFor('what follows', async () => {
        await bench.send(fqcn, '"next"');
        return payloads(to, fqcn).includes('"next"');
      });
    await follows(told);
    const old = await bench.plain(query);
    await follows(old);
    expect(JSON.stringify(old.frames)).not.toContain('"gap"');
  });
});

describe('a client that gives no sign of life', () => {
  it('is cut off, while one that answers pings stays', async () => {
    const gateway = await startGateway(bench.broker.url, { EVENTS_LIVENESS_MS: '500' });
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

describe('one client more than may be', () => {
  it('is answered 503, and served once another is gone', async () => {
    const all = await Promise.all(Array.from({ length: 150 }, () => bench.plain('?fqcn=none')));
    const [error] = (await once(bench.dial('/events', 'dsb-messages'), 'error')) as [Error];
    expect(error.message).toContain('503');
    all[0]?.socket.close();
    await waitFor('room again', () =>
      bench.plain('?fqcn=none').then(
        () => true,
        () => false,
      ),
    );
  });
});
