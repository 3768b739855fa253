import { LeaseLostError, type ReaderToken } from '../replica/reader-lease.js';
import {
  createArchive,
  openSubscriberDatabase,
  readDepth,
  type SubscriberDatabase,
  type TestTerm,
} from '../../test/support/subscriber-database.js';
import { AlertOutbox, type AttemptResult, type ClaimQuery, type PendingAlert } from './alert-outbox.js';
import { verifiedEntry } from '../../test/support/archive-entries.js';
import type { ArchiveEntry } from './archive-entries.js';

const NOW = new Date('2026-03-02T00:00:02.000Z');
const MINUTE_MS = 60_000;

describe('AlertOutbox', () => {
  let storage: SubscriberDatabase;
  let outbox: AlertOutbox;
  let reader: ReaderToken;
  let term: TestTerm;

  beforeAll(async () => {
    storage = await openSubscriberDatabase();
    outbox = new AlertOutbox(storage.database);
  });
  beforeEach(async () => {
    await storage.clear();
    reader = await storage.newReader();
    term = await storage.newTerm();
  });
  afterAll(() => storage.close());

  const record = (entries: readonly ArchiveEntry[]) =>
    createArchive(storage.database).recordEntries(entries, NOW, reader);
  const claim = (sink: string, change: Partial<ClaimQuery> = {}): Promise<PendingAlert[]> =>
    outbox.claim({ sink, term: term.token, subjects: 10, perSubject: 10, subjectsInProcess: [], ...change });
  const release = (sink: string, ...subjects: string[]) =>
    outbox.recordResults(sink, term.token, [], subjects);
  const ids = (alerts: readonly PendingAlert[]) => alerts.map(({ eventId }) => eventId);

  it('commits one alert per sink together with the event', async () => {
    const text = '{"amount":"12345678901234567890123.12345678"}';
    await record([verifiedEntry({ id: 'e1', sinks: ['a', 'b'], alert: true, text })]);
    const [alert, ...more] = await claim('b');
    expect(more).toEqual([]);
    expect(alert).toMatchObject({
      eventId: 'e1',
      sink: 'b',
      alert: true,
      attempts: 0,
      text,
      archivedAt: NOW,
    });
    expect(await readDepth(outbox)).toEqual(
      new Map([
        ['a', 1],
        ['b', 1],
      ]),
    );
    const { oldestSeconds = 0 } = (await outbox.summarisePending()).get('a') ?? {};
    expect(oldestSeconds).toBeCloseTo((Date.now() - NOW.getTime()) / 1_000, -2);
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
      verifiedEntry({ id: 's1', subject: 's', sequence: 1, sinks: ['a', 'b'] }),
      verifiedEntry({ id: 's2', subject: 's', sequence: 2, sinks: ['a', 'b'] }),
      verifiedEntry({ id: 't1', subject: 't', sequence: 1, sinks: ['a', 'b'] }),
    ]);
    await claim('a');
    await outbox.recordResults('a', term.token, [failed('s1', 's', MINUTE_MS)], ['s', 't']);
    expect(ids(await claim('a'))).toEqual(['t1']);
    expect(ids(await claim('b')).sort()).toEqual(['s1', 's2', 't1']);
    const waitMs = (await outbox.nextDueMs('a')) ?? NaN;
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(MINUTE_MS);
    expect(await outbox.nextDueMs('b')).toBeUndefined();
    await release('a', 's', 't');
    await record([verifiedEntry({ id: 's3', subject: 's', sequence: 3, sinks: ['a'] })]);
    expect(ids(await claim('a'))).toEqual(['t1']);
    await release('a', 't');
    await storage.database.query(
      `UPDATE alert_subject SET next_attempt_at = clock_timestamp() WHERE subject = 's'`,
    );
    const after = await claim('a');
    expect(after.map(({ eventId, attempts }) => [eventId, attempts])).toEqual([
      ['t1', 0],
      ['s1', 1],
      ['s2', 0],
      ['s3', 0],
    ]);
  });

  it('returns the longest waiting subjects first, and no claimed subject', async () => {
    for (const id of ['z', 'm', 'a']) await record([verifiedEntry({ id, subject: id, sinks: ['a'] })]);
    expect(ids(await claim('a', { subjects: 2 }))).toEqual(['z', 'm']);
    await record([verifiedEntry({ id: 'z0', subject: 'z', sequence: 0, sinks: ['a'] })]);
    expect(ids(await claim('a', { subjectsInProcess: ['z', 'm'] }))).toEqual(['a']);
  });

  it('returns claims of this replica again when the answer was lost', async () => {
    await record(['s', 't'].map((id) => verifiedEntry({ id, subject: id, sinks: ['a'] })));
    await claim('a', { subjects: 1 });
    expect(ids(await claim('a'))).toEqual(['s', 't']);
  });

  it('does not return a subject in progress, even when its release was recorded and the answer was lost', async () => {
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
    await storage.server.query(`DELETE FROM subscriber.alert_outbox WHERE subject = 's'`);
    expect(ids(await claim('a'))).toEqual(['t']);
    expect(await readDepth(outbox)).toEqual(new Map([['a', 1]]));
    await record([verifiedEntry({ id: 's2', subject: 's', sinks: ['a'] })]);
    expect(ids(await claim('a', { subjectsInProcess: ['t'] }))).toEqual(['s2']);
  });

  it('never returns a delivered alert again', async () => {
    await record([verifiedEntry({ id: 'e1', subject: 's', sinks: ['a'] })]);
    await claim('a');
    await outbox.recordResults('a', term.token, [delivered('e1', 's')], []);
    await outbox.recordResults('a', term.token, [failed('e1', 's', 0)], ['s']);
    expect(await claim('a')).toEqual([]);
    expect(await readDepth(outbox)).toEqual(new Map());
  });

  it('returns each subject to only one of several concurrent replicas', async () => {
    const subjects = Array.from({ length: 40 }, (_, at) => `s${at}`);
    await record(subjects.map((subject) => verifiedEntry({ id: subject, subject, sinks: ['a'] })));
    const terms = await Promise.all(Array.from({ length: 4 }, () => storage.newTerm()));
    const claimed = await Promise.all(terms.map(({ token }) => claim('a', { term: token, subjects: 20 })));
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
    for (let at = 1; at <= 20; at += 1) {
      const alerts = await claim('a');
      const outcomes = alerts.map(({ eventId, subject }) => delivered(eventId, subject));
      await Promise.all([add(at), outbox.recordResults('a', term.token, outcomes, [...subjects].reverse())]);
    }
    expect(ids(await claim('a')).sort()).toEqual(['s20', 't20', 'u20']);
    expect(await readDepth(outbox)).toEqual(new Map([['a', 3]]));
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
    expect(await readDepth(outbox)).toEqual(new Map([['a', 1]]));
    await storage.database.query('UPDATE alert_subject SET claimed_by = NULL');
    expect(await claim('a')).toEqual([]);
  });

  it('records no outcome for a subject that another replica has claimed', async () => {
    await record([verifiedEntry({ id: 'e1', subject: 's', sinks: ['a'] })]);
    const other = await storage.newTerm();
    await claim('a', { term: other.token });
    await outbox.recordResults('a', term.token, [delivered('e1', 's')], ['s']);
    expect(await readDepth(outbox)).toEqual(new Map([['a', 1]]));
    expect(await claim('a')).toEqual([]);
  });
});

function delivered(eventId: string, subject: string): AttemptResult {
  return {
    eventId,
    subject,
    attempts: 1,
    description: 'delivered, status 204',
    at: NOW,
    retryAfterMs: undefined,
  };
}

function failed(eventId: string, subject: string, retryAfterMs: number): AttemptResult {
  return { eventId, subject, attempts: 1, description: 'rejected with status 503', at: NOW, retryAfterMs };
}
