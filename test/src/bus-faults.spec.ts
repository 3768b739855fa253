import type { GatewayClient } from '@ssb/bus';
import { waitFor } from '@ssb/testing';
import { createFaults, injectFaults } from './bus-faults/faults.js';
import { Reader } from './bus-faults/reader.js';
import { Sender } from './bus-faults/sender.js';
import { RunningBus } from './harness/running-bus.js';

/** One at each broker. */
const GATEWAYS = ['one', 'two'] as const;
const SENDERS_PER_GATEWAY = 2;
const CHANNEL = 'faults.channels.bench.apps.bridge.iam.local';
/** Each broken connection repeats at most one window of messages whose acknowledgements were lost. */
const WINDOW = 100;
const CLIENT_ID = 'reader';

describe.each(['redis', 'nats'] as const)('with messages on %s', (engine) => {
  let bus: RunningBus;

  beforeAll(async () => {
    bus = await RunningBus.start({ engine, brokers: 2, gateways: GATEWAYS });
    const dids = bus.gateways.map(({ did }) => did);
    const topics = [{ namespace: 'default', schema: '{"type":"object","required":["sender","number"]}' }];
    await bus.admin.ensureChannel({ fqcn: CHANNEL, topics, publishers: dids, subscribers: dids });
  });

  afterAll(() => bus.stop());

  it('every message reaches each subscriber once and in order, although every process is killed and the engine is restarted', async () => {
    const clients = GATEWAYS.map((name) => bus.createClient(name, SENDERS_PER_GATEWAY));
    const senders = clients.flatMap((client, index) =>
      Array.from(
        { length: SENDERS_PER_GATEWAY },
        (_, n) => new Sender(`${GATEWAYS[index]}-${n}`, client, CHANNEL),
      ),
    );
    const readers = await connectReaders(bus);
    const end = new AbortController();
    try {
      const faults = createFaults(bus);
      const published = Promise.all(senders.map((sender) => sender.publishUntil(end.signal)));
      await Promise.race([published, injectFaults(faults, senders)]).finally(() => end.abort());
      await published;
      const totals = new Map(senders.map(({ name, accepted }) => [name, accepted] as const));
      const total = senders.reduce((sum, { accepted }) => sum + accepted, 0);

      await waitFor(
        () =>
          `every message; missing: ${readers.flatMap((reader) => reader.describeMissing(totals)).join('; ')}`,
        () => readers.every(({ messageCount }) => messageCount >= total),
        120_000,
      );
      for (const reader of readers) {
        expect(reader.describeMissing(totals)).toEqual([]);
        expect(reader.messageCount).toBe(total);
        expect(reader.repeats).toBeLessThanOrEqual(faults.length * WINDOW);
      }
    } finally {
      await Promise.all(readers.map((reader) => reader.stop()));
      await Promise.all(clients.map((client) => client.close()));
    }
    await expectNoRepeats(bus);
  });
});

/** A connected subscriber at each gateway. */
async function connectReaders({ gateways }: RunningBus): Promise<Reader[]> {
  const readers = gateways.map((gateway) => new Reader(gateway, CLIENT_ID));
  readers.forEach((reader) => reader.start());
  const unconnected = (): string[] =>
    readers.filter(({ connected }) => !connected).map(({ gateway }) => gateway.name);
  try {
    await waitFor(
      () => `the connections of ${unconnected().join(', ')}`,
      () => unconnected().length === 0,
    );
  } catch (error) {
    await Promise.all(readers.map((reader) => reader.stop()));
    throw error;
  }
  return readers;
}

/**
 * A new connection of the same client gets only messages that are published later. Acknowledgements have no response and may be stored
 * late, so the check is repeated.
 */
async function expectNoRepeats(bus: RunningBus): Promise<void> {
  const client = bus.createClient('one', 1);
  let attempt = 0;
  let counts: number[] = [];
  try {
    await waitFor(
      () => `one message for each client instead of ${counts.join(', ')}`,
      async () => {
        counts = await countNewMessages(bus, client, `last-${++attempt}`);
        return counts.every((count) => count === 1);
      },
    );
  } finally {
    await client.close();
  }
}

/** Number of messages that a new connection of each reader gets when one message is published. */
async function countNewMessages(bus: RunningBus, client: GatewayClient, sender: string): Promise<number[]> {
  const readers = await connectReaders(bus);
  try {
    await new Sender(sender, client, CHANNEL).publish(1);
    await waitFor(
      () =>
        `the last message; missing: ${readers.flatMap((reader) => reader.describeMissing(new Map([[sender, 1]]))).join('; ')}`,
      () => readers.every(({ numbersBySender }) => numbersBySender.has(sender)),
    );
    return readers.map(({ messageCount }) => messageCount);
  } finally {
    await Promise.all(readers.map((reader) => reader.stop()));
  }
}
