import type { GatewayClient } from '@ssb/bus';
import { waitFor } from '@ssb/testing';
import { allFaults, injectInTurn } from './bus-faults/faults.js';
import { Reader } from './bus-faults/reader.js';
import { Sender } from './bus-faults/sender.js';
import { RunningBus } from './harness/running-bus.js';

const GATEWAYS = ['one', 'two', 'three'] as const;
/** Senders at each gateway; each of them waits for an answer before its next message, so that its order is its own. */
const SENDERS_EACH = 2;
const CHANNEL = 'survival.channels.bench.apps.bridge.iam.local';
/** A lost acknowledgement may cost a window's repeats on each connection that broke, and no more. */
const WINDOW = 100;
const CLIENT = 'survivor';

describe.each(['redis', 'nats'] as const)('with messages on %s', (engine) => {
  let bus: RunningBus;

  beforeAll(async () => {
    bus = await RunningBus.start({ engine, brokers: 2, gateways: GATEWAYS });
    const dids = bus.gateways.map(({ did }) => did);
    const topics = [{ namespace: 'default', schema: '{"type":"object","required":["sender","number"]}' }];
    await bus.admin.ensureChannel({ fqcn: CHANNEL, topics, publishers: dids, subscribers: dids });
  });

  afterAll(() => bus.stop());

  it('each reaches each subscriber once and in order, though every process is killed and the engine restarted', async () => {
    const clients = GATEWAYS.map((name) => bus.client(name, SENDERS_EACH));
    const senders = clients.flatMap((client, at) =>
      Array.from({ length: SENDERS_EACH }, (_, n) => new Sender(`${GATEWAYS[at]}-${n}`, client, CHANNEL)),
    );
    const readers = await readersOf(bus);
    const end = new AbortController();
    try {
      const faults = allFaults(bus);
      const published = Promise.all(senders.map((sender) => sender.publishUntil(end.signal)));
      await Promise.race([published, injectInTurn(faults, senders)]).finally(() => end.abort());
      await published;
      const totals = new Map(senders.map(({ name, taken }) => [name, taken] as const));
      const total = senders.reduce((sum, { taken }) => sum + taken, 0);

      await waitFor(
        () => `every message; missing: ${readers.flatMap((reader) => reader.missing(totals)).join('; ')}`,
        () => readers.every(({ count }) => count >= total),
        120_000,
      );
      for (const reader of readers) {
        expect(reader.missing(totals)).toEqual([]);
        expect(reader.count).toBe(total);
        expect(reader.repeats).toBeLessThanOrEqual(faults.length * WINDOW);
      }
    } finally {
      await Promise.all(readers.map((reader) => reader.stop()));
      await Promise.all(clients.map((client) => client.close()));
    }
    await expectNothingAgain(bus);
  }, 600_000);
});

/** A connected subscriber at each gateway. */
async function readersOf({ gateways }: RunningBus): Promise<Reader[]> {
  const readers = gateways.map((gateway) => new Reader(gateway, CLIENT));
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
 * What was acknowledged does not come again: a new connection of the same client gets what is published next, and nothing else. An
 * acknowledgement has no answer, so the position may be stored a moment after it: then the next connection must show it.
 */
async function expectNothingAgain(bus: RunningBus): Promise<void> {
  const client = bus.client('one', 1);
  let round = 0;
  let counts: number[] = [];
  try {
    await waitFor(
      () => `one message for each client instead of ${counts.join(', ')}`,
      async () => {
        counts = await countsOfNew(bus, client, `last-${++round}`);
        return counts.every((count) => count === 1);
      },
    );
  } finally {
    await client.close();
  }
}

/** How many messages new connections of the same client get with one that is published now. */
async function countsOfNew(bus: RunningBus, client: GatewayClient, sender: string): Promise<number[]> {
  const again = await readersOf(bus);
  try {
    await new Sender(sender, client, CHANNEL).publish(1);
    await waitFor(
      () =>
        `the last message; missing: ${again.flatMap((reader) => reader.missing(new Map([[sender, 1]]))).join('; ')}`,
      () => again.every(({ numbers }) => numbers.has(sender)),
    );
    return again.map(({ count }) => count);
  } finally {
    await Promise.all(again.map((reader) => reader.stop()));
  }
}
