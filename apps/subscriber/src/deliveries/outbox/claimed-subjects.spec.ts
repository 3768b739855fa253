import type { Database } from '@ssb/postgres';
import { verifiedEntry } from '../../../test/support/archive-entries.js';
import {
  createArchive,
  openSubscriberDatabase,
  type SubscriberDatabase,
} from '../../../test/support/subscriber-database.js';
import type { ReaderToken } from '../../replica/reader-lease.js';
import { skipDeliveries } from '../requests/skip-deliveries.js';
import { DeliveryOutbox } from './delivery-outbox.js';

const CLAIM = { sink: 'a', lowest: 3, subjects: 10, perSubject: 10, subjectsInProcess: [] } as const;

describe('a claimed subject whose deliveries end before they are read', () => {
  let storage: SubscriberDatabase;
  let reader: ReaderToken;
  let term: number;

  beforeAll(async () => {
    storage = await openSubscriberDatabase();
  });
  beforeEach(async () => {
    await storage.clear();
    reader = await storage.newReader();
    ({ token: term } = await storage.newTerm());
    await archive('e1', 1);
  });
  afterAll(() => storage.close());

  const archive = (id: string, sequence: number) =>
    createArchive(storage.database).recordEntries(
      [verifiedEntry({ id, subject: 's', sequence, sinks: ['a'], alert: true })],
      new Date(),
      reader,
    );
  const skip = () =>
    skipDeliveries(
      storage.database,
      { sinks: ['a'], ids: ['e1'] },
      { progress: undefined, save: () => Promise.resolve(), signal: new AbortController().signal },
    );
  /** Claims while others write before and after the deliveries are read. */
  const claim = (before: () => Promise<unknown>, after: () => Promise<unknown> = () => Promise.resolve()) => {
    const { database } = storage;
    const query = async (sql: string, values: Parameters<Database['query']>[1]) => {
      const isReading = sql.includes('AS head');
      if (isReading) await before();
      const rows = await database.query(sql, values);
      if (isReading) await after();
      return rows;
    };
    const racing = { query, transaction: database.transaction.bind(database) } as unknown as Database;
    return new DeliveryOutbox(racing).claim({ ...CLAIM, term });
  };
  const counts = () =>
    storage.database.query('SELECT pending, urgent, alerts, claimed_by AS "claimedBy" FROM delivery_subject');

  it('is released, and its counts are not reduced twice', async () => {
    expect(await claim(skip)).toEqual([]);
    expect(await counts()).toEqual([{ pending: 0, urgent: 0, alerts: 0, claimedBy: null }]);
  });

  it('keeps a delivery that was added meanwhile', async () => {
    expect(await claim(skip, () => archive('e2', 2))).toEqual([]);
    expect(await counts()).toEqual([{ pending: 1, urgent: 1, alerts: 1, claimedBy: null }]);
    const [claimed] = await new DeliveryOutbox(storage.database).claim({ ...CLAIM, term });
    expect(claimed?.deliveries).toMatchObject([{ eventId: 'e2' }]);
  });
});
