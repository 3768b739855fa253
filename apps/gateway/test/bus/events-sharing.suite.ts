import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { basicAuthorization, CLOSE_TOO_SLOW, frameText } from '@ssb/bus';
import { freePort } from '@ssb/dev/free-ports';
import { waitFor, waitForClosedPort } from '@ssb/testing';
import { WebSocket, WebSocketServer } from 'ws';
import { broker } from './shared-broker.js';
import { EventsFixture, getPayloads, type RawClient } from '../support/events-fixture.js';
import { PASSWORD, startGateway, USERNAME } from '../support/running-gateway.js';

/** Gateway, WebSocket, broker and Redis are real. The window is four, so that it fills. */
describe('clients of /events that share one gateway', () => {
  const MAX_CLIENTS = 10;
  let events: EventsFixture;

  beforeAll(async () => {
    events = await EventsFixture.start(broker, {
      EVENTS_WINDOW: '4',
      EVENTS_MAX_CLIENTS: String(MAX_CLIENTS),
    });
  });

  afterEach(() => events.disconnectAll());

  afterAll(() => events?.stop());

  it('clients without a client id each receive every message, and continue at their offset', async () => {
    const fqcn = await broker.createChannel();
    const [one, two] = [await events.connect(), await events.connect()];
    await events.send(fqcn, '1', '2');
    await waitFor('both have both', () => [one, two].every((each) => getPayloads(each, fqcn).length === 2));
    one.socket.close();
    await once(one.socket, 'close');
    await events.send(fqcn, '3');
    await waitFor('the third', () => getPayloads(two, fqcn).includes('3'));
    two.socket.close();
    await once(two.socket, 'close');
    await events.send(fqcn, '4');
    const three = await events.connect();
    await waitFor('the fourth', () => getPayloads(three, fqcn).includes('4'));
    expect([one, two, three].map((each) => getPayloads(each, fqcn))).toEqual([
      ['1', '2'],
      ['1', '2', '3'],
      ['4'],
    ]);
  });

  it('reading over HTTP leaves the offsets of other clients, over HTTP and WebSocket', async () => {
    const [fqcn, other] = [await broker.createChannel(), await broker.createChannel()];
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
    await waitFor('the WebSocket client has all', () =>
      [fqcn, other].every((each) => getPayloads(listener, each).length === 3),
    );
  });

  it('a client that was disconnected longer than messages are kept gets a report of the gap, over HTTP and with gaps=report, and receives what follows', async () => {
    const fqcn = await broker.createChannel({ maxMsgAge: 1_000_000_000 });
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
    const polling = { fqcn, clientId: 'late-http', onGap: (gap: unknown) => void gaps.push(gap) };
    await waitFor('the gap over HTTP', async () => {
      await client.readMessages(polling);
      return gaps.length > 0;
    });
    expect(gaps[0]).toEqual({ fqcn, after: readIds.at(-1), upTo });
    await waitFor('a later message', async () => {
      await events.send(fqcn, '"later"');
      return (await client.readMessages(polling)).length > 0;
    });
    // The later message may expire before its acknowledgement, which is another gap.
    await waitFor('a read without a gap', async () => {
      gaps.length = 0;
      await client.readMessages(polling);
      return gaps.length === 0;
    });

    const query = `?clientId=late&ack=explicit&fqcn=${fqcn}`;
    const withReport = await events.connect(`${query}&gaps=report`);
    await waitFor('the gap', () => JSON.stringify(withReport.frames).includes('"gap"'));
    expect(withReport.frames[0]).toEqual({
      gap: { fqcn, after: expect.any(String), upTo: expect.any(String) },
    });
    const receiveNext = (to: RawClient) =>
      waitFor('what follows', async () => {
        await events.send(fqcn, '"next"');
        return getPayloads(to).includes('"next"');
      });
    await receiveNext(withReport);
    const withoutReport = await events.connect(query);
    await receiveNext(withoutReport);
    expect(JSON.stringify(withoutReport.frames)).not.toContain('"gap"');
  });

  it('a client that does not respond to pings is terminated, while one that responds stays connected', async () => {
    const gateway = await startGateway(broker.url, { EVENTS_LIVENESS_MS: '3000' });
    try {
      const headers = { authorization: basicAuthorization(USERNAME, PASSWORD) };
      const address = `${gateway.url.replace('http', 'ws')}/events?fqcn=none`;
      const alive = new WebSocket(address, 'dsb-messages', { headers });
      const dead = new WebSocket(address, 'dsb-messages', { headers, autoPong: false });
      let pings = 0;
      alive.on('ping', () => (pings += 1));
      expect(((await once(dead, 'close')) as [number])[0]).toBe(1006);
      const before = pings;
      await waitFor('more pings', () => pings > before + 1);
      expect(alive.readyState).toBe(WebSocket.OPEN);
      alive.terminate();
    } finally {
      await gateway.stop();
    }
  });

  it('one client above the limit gets 503, and served once another has disconnected', async () => {
    const all = await Promise.all(Array.from({ length: MAX_CLIENTS }, () => events.connect('?fqcn=none')));
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

  it('client mode: the gateway dials a server, again after a disconnection, and serves it like a client', async () => {
    const port = await freePort();
    const gateway = await startGateway(broker.url, {
      EVENTS_PROTOCOL: 'bus.v2',
      EVENTS_FRAMES: 'object',
      EVENTS_CLIENT_URL: `ws://127.0.0.1:${port}/inbound?tenant=7`,
      EVENTS_CLIENT_QUERY: 'clientId=erp&ack=explicit&replies=all',
      EVENTS_CLIENT_USERNAME: 'Aladdin',
      EVENTS_CLIENT_PASSWORD: 'open sesame',
    });
    await gateway.enrolNewIdentity(broker);
    const fqcn = await broker.createChannel();
    const requests: IncomingMessage[] = [];
    const sockets: WebSocket[] = [];
    const frames: { id?: string; payload?: string; transactionId?: string }[] = [];
    const handleProtocols = (offered: Set<string>) => (offered.has('bus.v2') ? 'bus.v2' : false);
    const server = new WebSocketServer({ host: '127.0.0.1', port, handleProtocols });
    server.on('connection', (socket, request) => {
      requests.push(request);
      sockets.push(socket);
      socket.on('message', (data) => frames.push(JSON.parse(frameText(data)) as (typeof frames)[number]));
    });
    const payloads = () => frames.map(({ payload }) => payload);
    try {
      const first = await waitFor('dialled', () => sockets[0]);
      expect([requests[0]?.url, requests[0]?.headers.authorization, first.protocol]).toEqual([
        '/inbound?tenant=7',
        // RFC 7617 §2's example.
        'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
        'bus.v2',
      ]);
      first.send(JSON.stringify({ fqcn, topic: 'free', payload: '"held"', transactionId: 't1' }));
      // The message may be pushed before its sender gets the response.
      await waitFor('sent', () => frames.some((each) => each.transactionId === 't1' && !('payload' in each)));
      await waitFor('pushed', () => payloads().includes('"held"'));
      frames.length = 0;
      first.terminate();
      const second = await waitFor('dialled again', () => sockets[1]);
      await waitFor('pushed again', () => payloads().includes('"held"'));
      second.send(JSON.stringify({ ack: frames.map(({ id }) => id) }));
      await gateway.client.sendMessage({ fqcn, topic: 'free', payload: '"next"' });
      await waitFor('the next', () => payloads().includes('"next"'));
      frames.length = 0;
      second.close();
      await waitFor('dialled a third time', () => sockets[2]);
      await waitFor('the next again', () => payloads().includes('"next"'));
      expect(payloads()).not.toContain('"held"');
      const headers = { authorization: basicAuthorization(USERNAME, PASSWORD) };
      const client = new WebSocket(`${gateway.url.replace('http', 'ws')}/events?fqcn=none`, 'bus.v2', {
        headers,
      });
      await once(client, 'open');
      client.terminate();
      expect(await gateway.client.document('ws.yaml')).toContain('bus.v2');
    } finally {
      await gateway.stop();
      for (const socket of server.clients) socket.terminate();
      server.close();
      await waitForClosedPort(port);
    }
  });

  // Last, because a subscriber to all channels would receive these large messages.
  it('clients without a client id are closed when they do not read, and do not slow the others', async () => {
    const fqcn = await broker.createChannel();
    const [slow, quick] = [await events.connect(`?fqcn=${fqcn}`), await events.connect(`?fqcn=${fqcn}`)];
    slow.socket.pause();
    // More than the operating system buffers for a socket that is not read.
    const large = Array.from({ length: 12 }, (_, n) => JSON.stringify(`${n}${'x'.repeat(1_000_000)}`));
    await events.send(fqcn, ...large);
    await waitFor('all', () => getPayloads(quick, fqcn).length === large.length);
    const closed = once(slow.socket, 'close');
    slow.socket.resume();
    // Terminated while it does not read, or closed with the reason when it does.
    expect([1006, CLOSE_TOO_SLOW]).toContain(((await closed) as [number])[0]);
  });
});
