import { openSubscriberDatabase, type SubscriberDatabase } from '../../test/support/subscriber-database.js';
import { MAX_CONSUMERS_A_DAY } from './domain/consumer-allowance.js';
import { LeaseLostError, type ReaderToken } from '../replica/reader-lease.js';
import { CatchUpConsumerStore, ConsumerLimitError } from './catch-up-consumer-store.js';

const CHANNEL = 'prudential.channels.bridge.apps.participant.iam.market';
const START = Date.parse('2026-03-02T00:00:00.000Z');

let storage: SubscriberDatabase;
let reader: ReaderToken;
let consumers: CatchUpConsumerStore;
beforeAll(async () => {
  storage = await openSubscriberDatabase();
});
beforeEach(async () => {
  await storage.clear();
  reader = await storage.newReader();
  consumers = new CatchUpConsumerStore(storage.database, reader);
});
afterAll(() => storage.close());

const openMany = async (count: number): Promise<void> => {
  for (let opened = 0; opened < count; opened += 1) await consumers.open(CHANNEL, START);
};

it('records a pair before it is returned, and repeats neither its client id nor its time', async () => {
  const [first, second] = [await consumers.open(CHANNEL, START), await consumers.open(CHANNEL, START)];
  expect(second.clientId).not.toBe(first.clientId);
  expect(second.fromMs).not.toBe(first.fromMs);
  const rows = await storage.database.query('SELECT read_client_id, from_ms FROM catch_up_consumer');
  expect(rows).toHaveLength(2);
  expect(rows).toContainEqual({ read_client_id: first.clientId, from_ms: first.fromMs });
});

it('counts the consumers of a day over all processes, by channel', async () => {
  await openMany(MAX_CONSUMERS_A_DAY);
  const next = new CatchUpConsumerStore(storage.database, reader);
  await expect(next.open(CHANNEL, START)).rejects.toThrow(ConsumerLimitError);
  expect(await next.open('another', START)).toMatchObject({ limitedForMs: 0 });

  await storage.server.query(
    "UPDATE subscriber.catch_up_consumer SET created_at = created_at - interval '16 minutes'",
  );
  expect((await next.open(CHANNEL, START)).limitedForMs).toBeGreaterThan(23 * 3_600_000);
  await storage.server.query(
    "UPDATE subscriber.catch_up_consumer SET created_at = created_at - interval '1 day'",
  );
  expect(await next.open(CHANNEL, START)).toMatchObject({ limitedForMs: 0 });
});

it('counts neither a refused pair nor those of a gateway that keeps no consumers', async () => {
  await openMany(MAX_CONSUMERS_A_DAY - 1);
  const refused = await consumers.open(CHANNEL, START);
  await consumers.open(CHANNEL, START, refused);
  await expect(consumers.open(CHANNEL, START)).rejects.toThrow(ConsumerLimitError);
  await consumers.discount(CHANNEL);
  await openMany(MAX_CONSUMERS_A_DAY);
});

it('writes nothing after the lease is lost', async () => {
  const lost = { ...reader, fencingToken: reader.fencingToken - 1 };
  await expect(new CatchUpConsumerStore(storage.database, lost).open(CHANNEL, START)).rejects.toThrow(
    LeaseLostError,
  );
  expect(await storage.database.query('SELECT 1 FROM catch_up_consumer')).toEqual([]);
});
