import { verifiedEntry } from '../../test/support/archive-entries.js';
import {
  createArchive,
  openSubscriberDatabase,
  type SubscriberDatabase,
} from '../../test/support/subscriber-database.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import type { Archive } from '../archive/archive.js';
import type { VerifiedEntry } from '../archive/archive-entries.js';
import { isAlive } from './domain/evaluate-heartbeats.js';
import { deleteOldHeartbeats, listHeartbeats } from './heartbeat-table.js';

const TYPE = 'settlementbus.bridge.heartbeat.v1';
const POLLS = { prudential: { intervalMs: 15_000 }, settlement: { intervalMs: 30_000, ageMs: 5_000 } };
const HOUR_MS = 3_600_000;

describe('heartbeats in the database', () => {
  let storage: SubscriberDatabase;
  let archive: Archive;
  beforeAll(async () => {
    storage = await openSubscriberDatabase();
    archive = createArchive(storage.database);
  });
  let reader: ReaderToken;
  beforeEach(async () => {
    await storage.clear();
    reader = await storage.newReader();
  });
  afterAll(() => storage.close());

  function heartbeat(id: string, at: Date, appendedAt = at): VerifiedEntry {
    const entry = verifiedEntry({ id });
    const message = { ...entry.message, timestampNanos: BigInt(appendedAt.getTime()) * 1_000_000n };
    return { ...entry, message, event: { ...entry.event, type: TYPE }, heartbeat: { at, polls: POLLS } };
  }
  const record = (entries: VerifiedEntry[], now: Date) => archive.recordEntries(entries, now, reader);

  it('keeps the newest heartbeat by its own time, which counts at most as that of its arrival', async () => {
    const at = new Date('2026-03-02T00:01:00.000Z');
    const early = new Date(at.getTime() - 60_000);
    const arrival = new Date(at.getTime() + 500);
    await record([heartbeat('h1', at), heartbeat('h2', early)], arrival);
    await record([heartbeat('h3', early)], new Date(arrival.getTime() + 1_000));
    expect(await listHeartbeats(storage.database)).toEqual([
      { participant: 'WPGENCO', channel: expect.any(String), at, receivedAt: arrival, polls: POLLS },
    ]);
    const next = new Date(arrival.getTime() + 2_000);
    await record([heartbeat('h4', new Date(next.getTime() + HOUR_MS))], next);
    expect(await listHeartbeats(storage.database)).toMatchObject([{ at: next, receivedAt: next }]);
  });

  it('counts a heartbeat of a clock that is ahead at most as the time at which the bus appended it', async () => {
    const now = new Date();
    const appendedAt = new Date(now.getTime() - HOUR_MS);
    await record([heartbeat('waited', now, appendedAt)], now);
    const [waited] = await listHeartbeats(storage.database);
    expect(waited).toMatchObject({ at: appendedAt, receivedAt: now });
    const limits = { timeoutMs: 180_000, clockToleranceMs: 30_000 };
    expect(waited !== undefined && isAlive(waited, now, limits)).toBe(false);
  });

  it('deletes archived heartbeats after a day and their ids after two, and nothing else', async () => {
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS);
    for (const hours of [50, 30, 1]) {
      const at = hoursAgo(hours);
      await record([heartbeat(`heartbeat-${hours}`, at), verifiedEntry({ id: `margin-${hours}` })], at);
    }
    await deleteOldHeartbeats(storage.database, new AbortController().signal);
    const ids = async (table: string) =>
      (await storage.database.query<{ event_id: string }>(`SELECT event_id FROM ${table} ORDER BY 1`)).map(
        ({ event_id }) => event_id,
      );
    expect(await ids('archive')).toEqual(['heartbeat-1', 'margin-1', 'margin-30', 'margin-50']);
    expect(await ids('inbox')).toEqual(['heartbeat-1', 'heartbeat-30', 'margin-1', 'margin-30', 'margin-50']);
    const [horizon] = await storage.database.query<{ held_since: Date }>(
      'SELECT held_since FROM inbox_horizon WHERE type = $1',
      [TYPE],
    );
    expect(horizon?.held_since.getTime()).toBeLessThan(hoursAgo(48).getTime());
  });

  it('lets the app delete heartbeats in this way only', async () => {
    for (const table of ['archive', 'inbox', 'deleted_heartbeat', 'inbox_horizon']) {
      await expect(storage.database.query(`DELETE FROM ${table}`)).rejects.toMatchObject({ code: '42501' });
    }
  });
});
