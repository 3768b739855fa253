import { verifiedEntry } from '../../../test/support/archive-entries.js';
import { attemptResult } from '../../../test/support/attempt-result.js';
import {
  createArchive,
  openSubscriberDatabase,
  type SubscriberDatabase,
} from '../../../test/support/subscriber-database.js';
import { deleteOldAttempts } from './attempt-table.js';
import { DeliveryOutbox } from './delivery-outbox.js';
import { ParkedDeliveries } from './parked-deliveries.js';

const CLAIM = { sink: 'a', lowest: 2, subjects: 10, perSubject: 10, subjectsInProcess: [] } as const;

describe('attempts', () => {
  let storage: SubscriberDatabase;
  beforeAll(async () => {
    storage = await openSubscriberDatabase();
  });
  beforeEach(() => storage.clear());
  afterAll(() => storage.close());

  const attempts = () =>
    storage.database.query(
      `SELECT number, at, duration_ms AS "durationMs", outcome, status, response, error FROM attempt WHERE sink = 'a' ORDER BY number`,
    );

  it('writes each attempt with its result, once, also of a parked delivery', async () => {
    const { database } = storage;
    const outbox = new DeliveryOutbox(database);
    await createArchive(database).recordEntries(
      [verifiedEntry({ id: 'e1', subject: 's', sinks: ['a'] })],
      new Date(),
      await storage.newReader(),
    );
    const { token } = await storage.newTerm();
    await outbox.claim({ ...CLAIM, term: token });
    const unreachable = {
      ...attemptResult('e1', 's', { kind: 'failed', retryAfterMs: 0 }),
      outcome: 'unreachable',
      status: undefined,
      description: 'unreachable: ECONNREFUSED',
    } as const;
    const refused = {
      ...attemptResult('e1', 's', { kind: 'refused' }),
      attempts: 2,
      response: 'no "such" key',
    };
    for (let repeat = 0; repeat < 2; repeat += 1) {
      await outbox.recordResults('a', token, [unreachable], []);
    }
    await outbox.recordResults('a', token, [refused], ['s']);
    const accepted = { ...attemptResult('e1', 's', { kind: 'delivered' }), attempts: 3 };
    const parked = new ParkedDeliveries(database);
    for (let repeat = 0; repeat < 2; repeat += 1) await parked.recordResult('a', accepted);

    const each = { at: accepted.at, durationMs: 12, response: null, error: null };
    expect(await attempts()).toEqual([
      { ...each, number: 1, outcome: 'unreachable', status: null, error: 'unreachable: ECONNREFUSED' },
      { ...each, number: 2, outcome: 'rejected', status: 400, response: 'no "such" key' },
      { ...each, number: 3, outcome: 'delivered', status: 204 },
    ]);
    expect(await database.query('SELECT attempts, parked_until FROM delivery')).toEqual([
      { attempts: 3, parked_until: null },
    ]);
  });

  it('deletes the old ones', async () => {
    await storage.server.query(
      `INSERT INTO subscriber.attempt (event_id, sink, number, at, duration_ms, outcome)
       SELECT 'e1', 'a', number, now() - make_interval(hours => 24 * number - 1), 1, 'timeout' FROM generate_series(1, 1500) AS number`,
    );
    expect(await deleteOldAttempts(storage.database, 30, new AbortController().signal)).toBe(1_470);
    expect(await attempts()).toHaveLength(30);
  });
});
