import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { createAuthority } from '@ssb/dev/certificates';
import { TOPIC_BY_EVENT_TYPE } from '@ssb/events';
import { originDid, signedEvent } from '@ssb/testing/signed-messages';
import { waitFor } from '@ssb/testing';
import { GATEWAY_USER } from '@ssb/tools';
import {
  Consumer,
  FileStore,
  MemoryStore,
  SupersededError,
  Trust,
  type ConsumerOptions,
  type ConsumerState,
} from 'settlement-bus-downstream';
import { WebSocketServer } from 'ws';
import { bus } from './shared-bus.js';

const CHANNEL = 'prudential.channels.bridge.apps.participant.iam.market';
const TOPIC = TOPIC_BY_EVENT_TYPE['settlementbus.margin.breached.v1'];

describe('the consumer of the downstream kit', () => {
  let folder: string;
  let trust: Trust;
  let minute = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'consumer-'));
    const client = bus.createClient('publisher', 1);
    const { did } = await client.enrolment();
    await client.close();
    const senders = { gateways: [{ did }], origins: [{ did: originDid, participants: ['WPGENCO'] }] };
    trust = Trust.fromJson({ version: 1, signatureScheme: 'eip191', channels: { [CHANNEL]: senders } });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Posts a breach, also while the broker starts. @returns its id */
  async function post(
    change: (event: Record<string, unknown>) => unknown = (event) => event,
  ): Promise<string> {
    minute += 1;
    const calculatedAt = new Date(Date.UTC(2026, 2, 2, 0, minute)).toISOString().slice(0, 19);
    const event = signedEvent({ fact: { calculatedAt }, signedAt: new Date() });
    const transactionId = String(event['id']);
    const message = { fqcn: CHANNEL, topic: TOPIC, payload: JSON.stringify(change(event)), transactionId };
    const client = bus.createClient('publisher', 1);
    await waitFor('the broker', () => client.sendMessage(message).catch(() => undefined));
    await client.close();
    return transactionId;
  }

  function create(clientId: string, more: Partial<ConsumerOptions> = {}): Consumer {
    const { url, password } = bus.gateway('subscriber');
    return new Consumer({
      ...{ url, user: GATEWAY_USER, password, clientId, trust, from: 'now', maxDelayMs: 300 },
      store: new MemoryStore(),
      ...more,
    });
  }

  it('receives each event once, in order, while the gateway and the broker are killed', async () => {
    const [seen, refused]: [string[], string[]] = [[], []];
    const store = () => new FileStore(join(folder, 'store'));
    const first = create('survivor', { store: store() })
      .on('margin.*', ({ id }) => void seen.push(id))
      .on('refused', ({ reason }) => void refused.push(reason))
      .on('fault', () => undefined);
    const running = first.run();
    // What is sent before the subscription exists is older than now.
    const sent: string[] = [];
    await waitFor('the first event', async () => {
      sent.push(await post());
      return seen.length > 0;
    });
    const received = () => waitFor('the events', () => seen.at(-1) === sent.at(-1));
    sent.push(await post());
    await post((event) => ({ ...event, time: '2026-03-02T08:59:00+08:00' }));
    await received();
    for (const { process } of [bus.gateway('subscriber'), { process: bus.brokers[0] }]) {
      await process?.kill();
      await process?.start();
      sent.push(await post());
      await received();
    }
    await first.stop();
    await running;
    sent.push(await post());
    const second = create('survivor', { store: store() }).on('*', ({ id }) => void seen.push(id));
    const again = second.run();
    await received();
    await second.stop();
    await again;
    expect(seen).toEqual(sent.slice(sent.indexOf(seen[0] ?? '')));
    // The report is repeated when its acknowledgement was lost.
    expect(new Set(refused)).toEqual(new Set(['origin-proof']));
  });

  it('loses nothing that was sent while it was away, also with an empty store and as an iterator', async () => {
    const iteration = create('iterating')[Symbol.asyncIterator]();
    let isReceived = false;
    const first = iteration.next().finally(() => (isReceived = true));
    await waitFor('the first event', async () => {
      await post();
      return isReceived;
    });
    const { value } = await first;
    await value?.ack();
    await iteration.return(undefined);
    const away = [await post(), await post()];
    const seen: string[] = [];
    for await (const { event } of create('iterating')) {
      seen.push(event.id);
      if (event.id === away[1]) break;
    }
    expect(seen.slice(-2)).toEqual(away);
    expect(seen).not.toContain(value?.event.id);
  });

  it('has its own authorities and a client certificate', async () => {
    const authority = await createAuthority({ name: 'Private authority', now: new Date() });
    const own = await authority.issue({ commonName: 'gateway', hosts: ['localhost'] });
    const { cert, key } = await authority.issue({ commonName: 'treasury', usage: 'client' });
    const callers: unknown[] = [];
    const server = createServer({ ...own, ca: authority.cert, requestCert: true }).listen(0, 'localhost');
    new WebSocketServer({ server }).on('connection', (_, { socket }) =>
      callers.push(socket instanceof TLSSocket && socket.getPeerCertificate().subject.CN),
    );
    await once(server, 'listening');
    const url = `https://localhost:${(server.address() as AddressInfo).port}`;
    const states: ConsumerState[] = [];
    const run = async (tls: Partial<ConsumerOptions>): Promise<void> => {
      const consumer = create('tls', { url, ...tls }).on('state', (state) => void states.push(state));
      const running = consumer.run();
      await waitFor('the end of an attempt', () => states.length > 0);
      await consumer.stop();
      await running;
    };
    await run({ ca: authority.cert, cert, key });
    expect([states.shift()?.state, callers]).toEqual(['connected', ['treasury']]);
    states.length = 0;
    await run({ cert, key });
    expect(states[0]).toMatchObject({ state: 'disconnected', reason: expect.stringMatching(/certificate/) });
    server.close();
    server.closeAllConnections();
  });

  it('ends when another consumer takes its clientId', async () => {
    const first = create('twin').on('*', () => undefined);
    const running = first.run();
    let isConnected = false;
    first.on('state', ({ state }) => void (isConnected ||= state === 'connected'));
    await waitFor('the connection', () => isConnected);
    const second = create('twin').on('*', () => undefined);
    const taking = second.run();
    await expect(running).rejects.toThrow(SupersededError);
    await second.stop();
    await taking;
  });
});
