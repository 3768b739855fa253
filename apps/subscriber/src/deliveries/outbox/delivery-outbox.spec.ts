import { LeaseLostError, type ReaderToken } from '../../replica/reader-lease.js';
import {
  createArchive,
  openSubscriberDatabase,
  readDepth,
  type SubscriberDatabase,
  type TestTerm,
} from '../../../test/support/subscriber-database.js';
import type { ClaimQuery } from './claimed-subjects.js';
import { DeliveryOutbox } from './delivery-outbox.js';
import { ParkedDeliveries } from './parked-deliveries.js';
import type { AttemptResult, PendingDelivery } from './pending-delivery.js';
import { summarisePending } from './pending-summary.js';
import { SinkStates } from './sink-states.js';
import { attemptResult } from '../../../test/support/attempt-result.js';
import { verifiedEntry } from '../../../test/support/archive-entries.js';
import type { ArchiveEntry } from '../../archive/archive-entries.js';

const NOW = new Date('2026-03-02T00:00:02.000Z');
const MINUTE_MS = 60_000;
const FACT = 'settlementbus.statement.published.v1';

const QUERY = { sink: 'a', lowest: 2, subjects: 10, perSubject: 10, subjectsInProcess: [] } as const;

describe('DeliveryOutbox', () => {
  let storage: SubscriberDatabase;
  let outbox: DeliveryOutbox;
  let reader: ReaderToken;
  let term: TestTerm;

  beforeAll(async () => {
    storage = await openSubscriberDatabase();
    outbox = new DeliveryOutbox(storage.database);
  });
  beforeEach(async () => {
    await storage.clear();
    reader = await storage.newReader();
    term = await storage.newTerm();
  });
  afterAll(() => storage.close());

  const record = (entries: readonly ArchiveEntry[]) =>
    createArchive(storage.database).recordEntries(entries, NOW, reader);
  const claim = async (sink: string, change: Partial<ClaimQuery> = {}): Promise<PendingDelivery[]> => {
    const claimed = await outbox.claim({ ...QUERY, sink, term: term.token, ...change });
    return claimed.flatMap(({ deliveries }) => deliveries);
  };
  const nextDueMs = async (sink: string) =>
    (await new SinkStates(storage.database).nextAttempt(sink, 2)).dueMs;
  const state = (id: string, sequence: number, type: string): ArchiveEntry =>
    verifiedEntry({
      id,
      subject: 's',
      sequence,
      sinks: ['a'],
      type: `settlementbus.${type}.v1` as typeof FACT,
    });
  const release = (sink: string, ...subjects: string[]) =>
    outbox.recordResults(sink, term.token, [], subjects);
  const ids = (alerts: readonly PendingDelivery[]) => alerts.map(({ eventId }) => eventId);

  it('commits one alert per sink together with the event', async () => {
    const text = '{"amount":"12345678901234567890123.12345678"}';
    await record([verifiedEntry({ id: 'e1', sinks: ['a', 'b'], alert: true, text })]);
    const [alert, ...more] = await claim('b');
    expect(more).toEqual([]);
    expect(alert).toMatchObject({
      eventId: 'e1',
      sink: 'b',
      kind: 'alert',
      attempts: 0,
      text,
      archivedAt: NOW,
    });
    expect(await readDepth(storage.database)).toEqual(
      new Map([
        ['a', 1],
        ['b', 1],
      ]),
    );
    const { oldestSeconds = 0 } = (await summarisePending(storage.database)).get('a') ?? {};
    expect(oldestSeconds).toBeCloseTo((Date.now() - NOW.getTime()) / 1_000, -2);
    const deletion = storage.server.query('DELETE FROM subscriber.archive');
    await expect(deletion).rejects.toThrow('Delete the deliveries first');
  });

  it('returns the alerts of a subject in order of sequence, not of arrival', async () => {
    await record([
      verifiedEntry({ id: 'third', subject: 's', sequence: 30, sinks: ['a'] }),
      verifiedEntry({ id: 'first', subject: 's', sequence: 9, sinks: ['a'] }),
      verifiedEntry({ id: 'second', subject: 's', sequence: 10, sinks: ['a'] }),
    ]);
    expect(ids(await claim('a', { perSubject: 2 }))).toEqual(['first', 'second']);
    await release('a', 's');
    expect(ids(await claim('a'))).toEqual(['first', 'second', 'third']);
  });

  it('does not return a subject whose first alert waits for a retry, but returns other subjects', async () => {
    await record([
      verifiedEntry({ id: 's1', subject: 's', sequence: 1, sinks: ['a', 'b'], type: FACT }),
      verifiedEntry({ id: 's2', subject: 's', sequence: 2, sinks: ['a', 'b'], type: FACT }),
      verifiedEntry({ id: 't1', subject: 't', sequence: 1, sinks: ['a', 'b'], type: FACT }),
    ]);
    await claim('a');
    await outbox.recordResults('a', term.token, [failed('s1', 's', MINUTE_MS)], ['s', 't']);
    expect(ids(await claim('a'))).toEqual(['t1']);
    expect(ids(await claim('b')).sort()).toEqual(['s1', 's2', 't1']);
    const waitMs = (await nextDueMs('a')) ?? NaN;
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(MINUTE_MS);
    expect(await nextDueMs('b')).toBeUndefined();
    await release('a', 's', 't');
    await record([verifiedEntry({ id: 's3', subject: 's', sequence: 3, sinks: ['a'], type: FACT })]);
    expect(ids(await claim('a'))).toEqual(['t1']);
    await release('a', 't');
    await storage.database.query(
      `UPDATE delivery_subject SET next_attempt_at = clock_timestamp() WHERE subject = 's'`,
    );
    const after = await claim('a');
    expect(after.map(({ eventId, attempts }) => [eventId, attempts])).toEqual([
      ['t1', 0],
      ['s1', 1],
      ['s2', 0],
      ['s3', 0],
    ]);
  });

  it('returns urgent subjects first, then alerts, then notices, and only the wanted priorities', async () => {
    await record([
      verifiedEntry({ id: 'notice', sinks: ['a'], type: FACT }),
      verifiedEntry({ id: 'alert', sinks: ['a'], type: FACT, alert: true }),
      verifiedEntry({ id: 'breach', sinks: ['a'] }),
    ]);
    expect(ids(await claim('a', { subjects: 1, lowest: 1 }))).toEqual(['breach']);
    const inProcess = { subjectsInProcess: ['subject-of-breach'] };
    expect(ids(await claim('a', { ...inProcess, lowest: 1 }))).toEqual(['alert']);
    expect(ids(await claim('a', inProcess))).toEqual(['alert', 'notice']);
  });

  it('sends a breach before older facts of its subject, although their retry is not due', async () => {
    const fact = (sequence: number) =>
      verifiedEntry({ id: `f${sequence}`, subject: 's', sequence, sinks: ['a'], type: FACT });
    await record([fact(1), fact(2)]);
    await claim('a');
    await outbox.recordResults('a', term.token, [failed('f1', 's', MINUTE_MS)], ['s']);
    await record([verifiedEntry({ id: 'breach', subject: 's', sequence: 3, sinks: ['a'] })]);
    expect(ids(await claim('a'))).toEqual(['breach', 'f1', 'f2']);
    await outbox.recordResults('a', term.token, [delivered('breach', 's')], ['s']);
    expect((await outbox.claim({ ...QUERY, term: term.token }))[0]).toMatchObject({ priority: 2 });
  });

  it('replaces older pending states of a subject, and never a breach or a fact', async () => {
    await record([
      state('warned', 1, 'margin.warning'),
      state('breached', 2, 'margin.breached'),
      state('eased', 3, 'margin.restored'),
      state('published', 4, 'statement.published'),
      state('restored', 5, 'margin.restored'),
    ]);
    const [claimed] = await outbox.claim({ ...QUERY, term: term.token });
    expect(ids(claimed?.deliveries ?? [])).toEqual(['breached', 'published', 'restored']);
    expect(claimed?.replaced).toBe(2);
    expect(
      await storage.database.query(
        `SELECT event_id, last_outcome, replaced_by FROM delivery WHERE replaced_by IS NOT NULL ORDER BY sequence`,
      ),
    ).toEqual(
      ['warned', 'eased'].map((event_id) => ({
        event_id,
        last_outcome: 'replaced',
        replaced_by: 'restored',
      })),
    );
    expect(await readDepth(storage.database)).toEqual(new Map([['a', 3]]));
  });

  it('leaves a breach that is archived during a claim for the next one, after the state before it', async () => {
    const { database } = storage;
    const query: typeof database.query = async (text, values) => {
      const rows = await database.query(text, values);
      if (text.includes('replaced AS')) await record([state('again', 3, 'margin.breached')]);
      return rows as never;
    };
    const racing = new DeliveryOutbox(Object.assign(Object.create(database) as typeof database, { query }));
    await record([state('breached', 1, 'margin.breached'), state('restored', 2, 'margin.restored')]);
    const [claimed] = await racing.claim({ ...QUERY, term: term.token });
    expect(ids(claimed?.deliveries ?? [])).toEqual(['breached', 'restored']);
    const results = [delivered('breached', 's'), delivered('restored', 's')];
    await outbox.recordResults('a', term.token, results, ['s']);
    expect(ids(await claim('a'))).toEqual(['again']);
  });

  it('parks what is refused, so that later deliveries of the subject are due', async () => {
    const parked = new ParkedDeliveries(storage.database);
    await record([
      verifiedEntry({ id: 'f1', subject: 's', sequence: 1, sinks: ['a'], type: FACT }),
      verifiedEntry({ id: 'f2', subject: 's', sequence: 2, sinks: ['a'], type: FACT }),
    ]);
    await claim('a');
    const refused = { ...delivered('f1', 's'), verdict: { kind: 'refused' } } as const;
    for (let repeat = 0; repeat < 2; repeat += 1)
      await outbox.recordResults('a', term.token, [refused], ['s']);
    expect(ids(await claim('a'))).toEqual(['f2']);
    expect(await readDepth(storage.database)).toEqual(new Map([['a', 1]]));
    expect(await parked.summarise()).toMatchObject([{ sink: 'a', type: FACT, count: 1, subject: 's' }]);
    const query = { sink: 'a', term: term.token };
    expect(await parked.takeDue({ ...query, acceptedMsAgo: undefined })).toBeUndefined();
    expect(await parked.nextDueMs({ ...query, acceptedMsAgo: undefined })).toBeGreaterThan(9 * MINUTE_MS);
    expect(await parked.nextDueMs({ ...query, acceptedMsAgo: 0 })).toBeLessThanOrEqual(1_000);
    await storage.database.query('UPDATE delivery SET retry_from = now() WHERE parked_until IS NOT NULL');
    expect(await parked.takeDue({ ...query, acceptedMsAgo: 0 })).toMatchObject({
      eventId: 'f1',
      attempts: 1,
    });
    expect(await parked.takeDue({ ...query, acceptedMsAgo: 0 })).toBeUndefined();
    await parked.recordResult('a', { ...delivered('f1', 's'), attempts: 2 });
    expect(await parked.summarise()).toEqual([]);
  });

  it('probes with an alert before notices, once, then with what waits longest, whatever Retry-After requested', async () => {
    const states = new SinkStates(storage.database);
    const probe = async (): Promise<PendingDelivery[]> => {
      await states.recordFailure('a', term.token, { failingMs: 0, probeMs: 0, outcome: 'timeout' });
      const query = { sink: 'a', term: term.token, subjectsInProcess: [] };
      return (await outbox.claimProbe(query)).flatMap(({ deliveries }) => deliveries);
    };
    await record([
      verifiedEntry({ id: 'tried', subject: 't', sinks: ['a'], type: FACT }),
      verifiedEntry({ id: 'notice', subject: 'n', sinks: ['a'], type: FACT }),
    ]);
    await claim('a');
    await outbox.recordResults('a', term.token, [failed('tried', 't', 10 * MINUTE_MS)], ['t', 'n']);
    await record([verifiedEntry({ id: 'alert', subject: 'alert', sinks: ['a'], type: FACT, alert: true })]);
    const probed: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const [alert] = await probe();
      if (alert === undefined) throw new Error('no probe');
      probed.push(alert.eventId);
      const result = failed(alert.eventId, alert.subject, 14_000);
      await outbox.recordResults('a', term.token, [result], [alert.subject]);
    }
    expect(probed).toEqual(['alert', 'notice', 'tried']);
    expect(await probe()).toEqual([]);
    expect(await nextDueMs('a')).toBeLessThanOrEqual(14_000);

    const later = { subject: 's', sequence: 2, type: 'settlementbus.margin.restored.v1' } as const;
    await record([
      verifiedEntry({ id: 'breach', subject: 's', sinks: ['a'] }),
      verifiedEntry({ id: 'restored', sinks: ['a'], ...later }),
    ]);
    expect(ids(await probe())).toEqual(['breach']);
    const refused = { ...delivered('breach', 's'), verdict: { kind: 'refused' } } as const;
    await outbox.recordResults('a', term.token, [refused], ['s']);
    expect(ids(await probe())).toEqual(['restored']);
  });

  it('finds a breach among many pending notices by the index', async () => {
    // Forgets the sizes that other files left, by which the planner may prefer to read a whole table.
    await storage.server.query('TRUNCATE subscriber.delivery, subscriber.delivery_subject');
    await storage.server.query(
      `INSERT INTO subscriber.delivery_subject (sink, subject, pending, next_attempt_at)
       SELECT 'a', 'notice-' || n, 1, now() - interval '1 h' FROM generate_series(1, 10000) AS n`,
    );
    await record([verifiedEntry({ id: 'breach', sinks: ['a'] })]);
    await storage.server.query('ANALYZE subscriber.delivery_subject');
    const plans: string[] = [];
    const explaining = Object.create(storage.database, {
      query: {
        value: async (sql: string, values: []) => {
          const rows = await storage.database.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, values);
          plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
          return storage.database.query(sql, values);
        },
      },
    }) as typeof storage.database;
    const [first] = await new DeliveryOutbox(explaining).claim({ ...QUERY, term: term.token });
    expect(first).toMatchObject({ priority: 0, subject: 'subject-of-breach' });
    await new SinkStates(explaining).nextAttempt('a', 2);
    expect(plans.length).toBeGreaterThanOrEqual(3);
    for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on (delivery_subject|delivery)/);
    expect(plans[0]).toMatch(/Index (Only )?Scan using delivery_subject_due/);
    await storage.server.query('TRUNCATE subscriber.delivery_subject');
  });

  it('returns the longest waiting subjects first, and no claimed subject', async () => {
    for (const id of ['z', 'm', 'a']) await record([verifiedEntry({ id, subject: id, sinks: ['a'] })]);
    expect(ids(await claim('a', { subjects: 2 }))).toEqual(['z', 'm']);
    await record([verifiedEntry({ id: 'z0', subject: 'z', sequence: 0, sinks: ['a'] })]);
    expect(ids(await claim('a', { subjectsInProcess: ['z', 'm'] }))).toEqual(['a']);
  });

  it('returns claims of this replica again when the response was lost', async () => {
    await record(['s', 't'].map((id) => verifiedEntry({ id, subject: id, sinks: ['a'] })));
    await claim('a', { subjects: 1 });
    expect(ids(await claim('a'))).toEqual(['s', 't']);
  });

  it('does not return a subject in progress, even when its release was recorded and the response was lost', async () => {
    await record(
      [1, 2].map((at) => verifiedEntry({ id: `s${at}`, subject: 's', sequence: at, sinks: ['a'] })),
    );
    await claim('a', { perSubject: 1 });
    await outbox.recordResults('a', term.token, [delivered('s1', 's')], ['s']);
    expect(await claim('a', { subjectsInProcess: ['s'] })).toEqual([]);
    const other = await storage.newTerm();
    expect(ids(await claim('a', { term: other.token }))).toEqual(['s2']);
    await outbox.recordResults('a', term.token, [delivered('s1', 's')], ['s']);
    expect(await claim('a')).toEqual([]);
  });

  it('releases a subject whose alerts were deleted manually', async () => {
    await record(['s', 't'].map((id) => verifiedEntry({ id, subject: id, sinks: ['a'] })));
    await storage.server.query(`DELETE FROM subscriber.delivery WHERE subject = 's'`);
    expect(ids(await claim('a'))).toEqual(['t']);
    expect(await readDepth(storage.database)).toEqual(new Map([['a', 1]]));
    await record([verifiedEntry({ id: 's2', subject: 's', sinks: ['a'] })]);
    expect(ids(await claim('a', { subjectsInProcess: ['t'] }))).toEqual(['s2']);
  });

  it('never returns a delivered alert again', async () => {
    await record([verifiedEntry({ id: 'e1', subject: 's', sinks: ['a'] })]);
    await claim('a');
    await outbox.recordResults('a', term.token, [delivered('e1', 's')], []);
    await outbox.recordResults('a', term.token, [failed('e1', 's', 0)], ['s']);
    expect(await claim('a')).toEqual([]);
    expect(await readDepth(storage.database)).toEqual(new Map());
  });

  it('returns each subject to only one of several concurrent replicas', async () => {
    const subjects = Array.from({ length: 20 }, (_, at) => `s${at}`);
    await record(subjects.map((subject) => verifiedEntry({ id: subject, subject, sinks: ['a'] })));
    const terms = await Promise.all(Array.from({ length: 4 }, () => storage.newTerm()));
    const claimed = await Promise.all(terms.map(({ token }) => claim('a', { term: token, subjects: 10 })));
    const all = claimed.flatMap(ids);
    expect(new Set(all).size).toBe(all.length);
    const rest = await claim('a', { subjects: 40 });
    expect([...all, ...ids(rest)].sort()).toEqual([...subjects].sort());
  });

  it('counts pending alerts correctly while alerts are added and delivered concurrently', async () => {
    const subjects = ['s', 't', 'u'];
    const add = (at: number) =>
      record(
        subjects.map((subject) =>
          verifiedEntry({ id: `${subject}${at}`, subject, sequence: at, sinks: ['a'] }),
        ),
      );
    await add(0);
    for (let at = 1; at <= 8; at += 1) {
      const alerts = await claim('a');
      const outcomes = alerts.map(({ eventId, subject }) => delivered(eventId, subject));
      await Promise.all([add(at), outbox.recordResults('a', term.token, outcomes, [...subjects].reverse())]);
    }
    expect(ids(await claim('a')).sort()).toEqual(['s8', 't8', 'u8']);
    expect(await readDepth(storage.database)).toEqual(new Map([['a', 3]]));
  });

  it('releases the claims of a deleted replica', async () => {
    await record([verifiedEntry({ id: 'e1', subject: 's', sinks: ['a'] })]);
    const other = await storage.newTerm();
    expect(ids(await claim('a', { term: other.token }))).toEqual(['e1']);
    expect(await claim('a')).toEqual([]);
    await storage.database.query('DELETE FROM replica WHERE fencing_token = $1', [other.token]);
    expect(ids(await claim('a'))).toEqual(['e1']);
  });

  it('records no outcome and allows no claim after the replica lease has expired', async () => {
    await record([verifiedEntry({ id: 'e1', subject: 's', sinks: ['a'] })]);
    await claim('a');
    await storage.database.query(
      'UPDATE replica SET expires_at = clock_timestamp() WHERE fencing_token = $1',
      [term.token],
    );
    const late = outbox.recordResults('a', term.token, [delivered('e1', 's')], []);
    await expect(late).rejects.toThrow(LeaseLostError);
    expect(await readDepth(storage.database)).toEqual(new Map([['a', 1]]));
    await storage.database.query('UPDATE delivery_subject SET claimed_by = NULL');
    expect(await claim('a')).toEqual([]);
  });

  it('records no outcome for a subject that another replica has claimed', async () => {
    await record([verifiedEntry({ id: 'e1', subject: 's', sinks: ['a'] })]);
    const other = await storage.newTerm();
    await claim('a', { term: other.token });
    await outbox.recordResults('a', term.token, [delivered('e1', 's')], ['s']);
    expect(await readDepth(storage.database)).toEqual(new Map([['a', 1]]));
    expect(await claim('a')).toEqual([]);
  });
});

function delivered(eventId: string, subject: string): AttemptResult {
  return attemptResult(eventId, subject, { kind: 'delivered' });
}

function failed(eventId: string, subject: string, retryAfterMs: number): AttemptResult {
  return attemptResult(eventId, subject, { kind: 'failed', retryAfterMs });
}
