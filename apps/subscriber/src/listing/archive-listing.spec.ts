import { TextOutput } from '@ssb/platform';
import { verifiedEntry, rejectedEntry } from '../../test/support/archive-entries.js';
import { ArchiveQueries } from './archive-queries.js';
import {
  createArchive,
  openSubscriberDatabase,
  type SubscriberDatabase,
} from '../../test/support/subscriber-database.js';
import { writeListing, type ListingOptions } from './archive-listing.js';

const NOW = new Date('2026-03-02T00:00:02.000Z');
const TEXT = '{"amount":"12345678901234567890123.12345678"}';

describe('writeListing', () => {
  let storage: SubscriberDatabase;
  beforeAll(async () => {
    storage = await openSubscriberDatabase();
  });
  afterAll(() => storage.close());

  async function listing(options: Partial<ListingOptions>): Promise<string> {
    let output = '';
    const all = { quarantine: false, deliveries: false, json: false, ...options };
    const collected = new TextOutput(() => ({ write: (text) => (output += text) }));
    await writeListing(new ArchiveQueries(storage.database), all, collected);
    return output;
  }

  it('reports an empty list', async () => {
    expect(await listing({ quarantine: false, json: false })).toBe('No entries.\n');
    expect(JSON.parse(await listing({ quarantine: true, json: true }))).toEqual([]);
  });

  it('shows events and rejected messages as a table and as JSON', async () => {
    const time = '2026-03-02T05:00:00+08:00';
    const events = Array.from({ length: 401 }, (_, at) => verifiedEntry({ id: `e${at}`, text: TEXT, time }));
    const hostile = rejectedEntry({
      id: 'm9',
      sender: 'did:\u001b[2J\u009b\u202egone\n',
      payload: 'not JSON',
    });
    await createArchive(storage.database).recordEntries([...events, hostile], NOW, await storage.newReader());

    const json = JSON.parse(await listing({ quarantine: false, json: true })) as Record<string, unknown>[];
    expect(json.map(({ eventId }) => eventId)).toEqual(events.map(({ event }) => event.id));
    expect(json[0]).toMatchObject({
      payload: TEXT,
      appendedAtNanos: '1700000000123456789',
      archivedAt: NOW.toISOString(),
      marks: ['late'],
    });
    const quarantine = await listing({ quarantine: true, json: true });
    expect(quarantine).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    const [quarantined] = JSON.parse(quarantine) as unknown[];
    expect(quarantined).toMatchObject({
      reason: 'signer-mismatch',
      sender: hostile.message.sender,
      payload: 'not JSON',
      messageId: 'm9',
      state: 'open',
    });

    const lines = (await listing({ quarantine: false, json: false })).trimEnd().split('\n');
    expect(lines).toHaveLength(403);
    expect(lines[0]).toMatch(/^# +ARCHIVED \(UTC\) +TYPE +SUBJECT +FACT TIME +MARKS +EVENT ID$/);
    expect(lines[2]).toMatch(
      /^\d+ +2026-03-02T00:00:02\.000Z +settlementbus\.margin\.breached\.v1 +subject-of-e0 .* late +e0$/,
    );
    const table = await listing({ quarantine: true, json: false });
    expect(table.split('\n')).toHaveLength(4);
    expect(table).toContain('did:\\u001b[2J\\u009b\\u202egone\\n');
  });

  it('shows deliveries that are pending, parked, replaced, skipped or withheld, of every sink', async () => {
    await storage.clear();
    const states = ['pending', 'parked', 'replaced', 'skipped', 'withheld', 'delivered'];
    const entries = states.map((id) => verifiedEntry({ id, sinks: ['a', 'b'] }));
    await createArchive(storage.database).recordEntries(entries, NOW, await storage.newReader());
    await storage.database.query(`UPDATE delivery SET attempts = 1, last_outcome = 'rejected with status 400',
      delivered_at = 'infinity', parked_at = now(), parked_until = now() WHERE event_id = 'parked'`);
    await storage.database.query(
      `UPDATE delivery SET delivered_at = now(), replaced_by = 'pending' WHERE event_id = 'replaced'`,
    );
    await storage.database.query(
      `UPDATE delivery SET delivered_at = now(), skipped = event_id = 'skipped' WHERE event_id IN ('skipped', 'delivered')`,
    );
    await storage.database.query(
      `UPDATE delivery SET delivered_at = now(), withheld = 'grouped', digest_id = 'pending' WHERE event_id = 'withheld'`,
    );
    const json = JSON.parse(await listing({ deliveries: true, json: true })) as Record<string, unknown>[];
    expect(json.map(({ eventId, state }) => [eventId, state])).toEqual(
      states.slice(0, -1).flatMap((state) => [
        [state, state],
        [state, state],
      ]),
    );
    expect(json[2]).toMatchObject({ attempts: 1, lastOutcome: 'rejected with status 400' });
    expect(await listing({ deliveries: true })).toMatch(
      /parked +notice +[ab] +settlementbus\.margin\.breached\.v1/,
    );
    expect(await listing({ deliveries: true })).toMatch(/ in digest pending +withheld$/m);
  });
});
