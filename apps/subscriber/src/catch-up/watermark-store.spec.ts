import { openSubscriberDatabase, type SubscriberDatabase } from '../../test/support/subscriber-database.js';
import { LeaseLostError } from '../replica/reader-lease.js';
import { WatermarkStore } from './watermark-store.js';

const CHANNEL = 'prudential.channels.bridge.apps.participant.iam.market';
const WATERMARK = {
  readUpToNanos: 1_763_600_702_123_456_789n,
  completeUntil: new Date('2026-03-02T00:00:00.000Z'),
  gapEndNanos: 7n,
};

describe('WatermarkStore', () => {
  let storage: SubscriberDatabase;
  beforeAll(async () => {
    storage = await openSubscriberDatabase();
  });
  beforeEach(() => storage.clear());
  afterAll(() => storage.close());

  it('keeps every digit, by channel and client id, and never moves backwards', async () => {
    const reader = await storage.newReader();
    const watermarks = new WatermarkStore(storage.database, reader);
    expect(await watermarks.read(CHANNEL)).toBeUndefined();
    await watermarks.advance(CHANNEL, WATERMARK);
    await watermarks.advance(CHANNEL, { readUpToNanos: 1n, completeUntil: new Date(0), gapEndNanos: 0n });
    expect(await watermarks.read(CHANNEL)).toEqual(WATERMARK);
    expect(await watermarks.read('another')).toBeUndefined();
    const other = new WatermarkStore(storage.database, { ...reader, clientId: 'another' });
    expect(await other.read(CHANNEL)).toBeUndefined();
  });

  it('writes nothing after the lease is lost', async () => {
    const reader = await storage.newReader();
    const lost = { ...reader, fencingToken: reader.fencingToken - 1 };
    await expect(new WatermarkStore(storage.database, lost).advance(CHANNEL, WATERMARK)).rejects.toThrow(
      LeaseLostError,
    );
    expect(await new WatermarkStore(storage.database, reader).read(CHANNEL)).toBeUndefined();
  });
});
