import { verifiedEntry, type VerifiedEntryOptions } from '../../../test/support/archive-entries.js';
import { attemptResult } from '../../../test/support/attempt-result.js';
import {
  createArchive,
  openSubscriberDatabase,
  type SubscriberDatabase,
  type TestTerm,
} from '../../../test/support/subscriber-database.js';
import { DeliveryOutbox } from '../outbox/delivery-outbox.js';
import { ParkedDeliveries } from '../outbox/parked-deliveries.js';
import { SinkStates } from '../outbox/sink-states.js';
import { OperationStoppedError } from '../../database/retry-database.js';
import type { ReaderToken } from '../../replica/reader-lease.js';
import type { AttemptResult } from '../outbox/pending-delivery.js';
import type { AlertSink, SinkMessage } from '../sinks/alert-sink.js';
import type { BatchProgress, BatchRun } from './archive-walk.js';
import { archivedOffsets } from './delivery-selection.js';
import { setSinkDisabled } from './disabled-sinks.js';
import { replayEvents } from './replay-events.js';
import { resendDeliveries } from './resend-deliveries.js';
import { sendTest } from './send-test.js';
import { skipDeliveries } from './skip-deliveries.js';

const NOTICE = 'settlementbus.statement.published.v1';
const STATE = 'settlementbus.margin.restored.v1';
const EVERYONE = new Map(['WPGENCO', 'OTHER'].map((code) => [code, new Date(0)]));

describe('requests about deliveries', () => {
  let storage: SubscriberDatabase;
  let outbox: DeliveryOutbox;
  let term: TestTerm;
  let reader: ReaderToken;
  let saved: BatchProgress[];

  beforeAll(async () => {
    storage = await openSubscriberDatabase();
    outbox = new DeliveryOutbox(storage.database);
  });
  beforeEach(async () => {
    await storage.clear();
    term = await storage.newTerm();
    reader = await storage.newReader();
    saved = [];
  });
  afterAll(() => storage.close());

  const run = (change: Partial<BatchRun> = {}): BatchRun => ({
    progress: undefined,
    save: (_, progress) => Promise.resolve(void saved.push(progress)),
    signal: new AbortController().signal,
    ...change,
  });
  const archive = async (...events: VerifiedEntryOptions[]) =>
    createArchive(storage.database, { alertsSince: () => EVERYONE }).recordEntries(
      events.map((event) => verifiedEntry({ sinks: ['a'], ...event })),
      new Date(),
      reader,
    );
  const claim = async (sink = 'a') => {
    const size = { lowest: 3, subjects: 10_000, perSubject: 10, subjectsInProcess: [] } as const;
    const claimed = await outbox.claim({ ...size, sink, term: term.token });
    return claimed.flatMap(({ deliveries }) => deliveries);
  };
  const claimIds = async (sink?: string) => (await claim(sink)).map(({ eventId }) => eventId);
  const record = (result: AttemptResult) => outbox.recordResults('a', term.token, [result], [result.subject]);
  /** The counts of each subject, and those that its pending deliveries give. */
  const wrongCounts = () =>
    storage.database.query(
      `SELECT known.* FROM delivery_subject AS known CROSS JOIN LATERAL (
         SELECT count(*) AS pending, count(*) FILTER (WHERE urgent) AS urgent, count(*) FILTER (WHERE kind = 'alert') AS alerts,
                count(*) FILTER (WHERE replayed) AS replayed
         FROM delivery WHERE delivery.sink = known.sink AND delivery.subject = known.subject AND delivered_at IS NULL) AS real
       WHERE (known.pending, known.urgent, known.alerts, known.replayed) <> (real.pending, real.urgent, real.alerts, real.replayed)`,
    );
  afterEach(async () => expect(await wrongCounts()).toEqual([]));

  it('resends what was delivered, parked, replaced or skipped, with its id, and counts its attempts on', async () => {
    await archive(
      { id: 'parked', subject: 's', sequence: 1 },
      { id: 'replaced', subject: 't', sequence: 1, type: STATE },
      { id: 'delivered', subject: 't', sequence: 2, type: STATE },
      { id: 'skipped', subject: 'u', type: NOTICE },
      { id: 'other', subject: 'u', sequence: 2, type: NOTICE, participant: 'OTHER' },
    );
    await skipDeliveries(storage.database, { sinks: ['a'], ids: ['skipped'] }, run());
    await claim();
    await record(attemptResult('parked', 's', { kind: 'refused' }));
    await record(attemptResult('delivered', 't', { kind: 'delivered' }));
    const selection = { sinks: ['a'], participants: ['WPGENCO'], since: new Date(Date.now() - 3_600_000) };
    expect(await resendDeliveries(storage.database, selection, run(), 3)).toMatchObject({
      outcome: 'refused',
      reason: expect.stringMatching(/^4 deliveries match; at most 3 are resent at once\./) as unknown,
    });
    const stopped = run({ signal: AbortSignal.abort() });
    await expect(resendDeliveries(storage.database, selection, stopped)).rejects.toThrow(
      OperationStoppedError,
    );
    expect(await resendDeliveries(storage.database, selection, run())).toMatchObject({
      outcome: 'done',
      progress: { changed: 4, total: 4 },
    });
    const again = await resendDeliveries(storage.database, selection, run());
    expect(again).toMatchObject({ progress: { changed: 0 } });

    const pending = await claim();
    expect(pending[0]).toMatchObject({
      eventId: 'parked',
      text: '{"id":"parked"}',
      attempts: 1,
      resent: true,
    });
    expect(pending.map(({ eventId, attempts, urgent }) => `${eventId} ${attempts} ${urgent}`).sort()).toEqual(
      ['delivered 1 false', 'other 0 false', 'parked 1 true', 'replaced 0 false', 'skipped 0 false'],
    );
    expect(await new ParkedDeliveries(storage.database).summarise()).toEqual([]);
    await record({ ...attemptResult('parked', 's', { kind: 'delivered' }), attempts: 2 });
    expect(
      await storage.database.query(
        `SELECT number, outcome FROM attempt WHERE event_id = 'parked' ORDER BY number`,
      ),
    ).toEqual([
      { number: 1, outcome: 'rejected' },
      { number: 2, outcome: 'delivered' },
    ]);
  });

  it('resends a breach that was withheld as urgent', async () => {
    await archive({ id: 'e1', subject: 's' });
    await storage.database.query(`UPDATE delivery SET withheld = 'silenced', delivered_at = created_at`);
    await storage.database.query('UPDATE delivery_subject SET pending = 0, urgent = 0');
    await resendDeliveries(storage.database, { sinks: ['a'], states: ['withheld'] }, run());
    expect(await claim()).toMatchObject([{ eventId: 'e1', urgent: true, resent: true }]);
  });

  it('visits the events of a range of time only, and those of an hour before and after it', async () => {
    await archive(...Array.from({ length: 50 }, (_, at) => ({ id: `e${at}`, sinks: [] })));
    const [first] = await storage.database.query<{ offset: number }>(
      'SELECT min(archive_offset) AS offset FROM archive',
    );
    const start = first?.offset ?? 0;
    // With gaps, as old heartbeats leave them.
    await storage.server.query(
      `UPDATE subscriber.archive SET archived_at = '2026-03-02T00:00:00Z'::timestamptz + make_interval(hours => (archive_offset - ${start})::integer)`,
    );
    await storage.server.query(`DELETE FROM subscriber.archive WHERE event_id IN ('e0', 'e7', 'e8', 'e30')`);
    const visited = async (since?: string, until?: string) => {
      const offsets = archivedOffsets({
        ...(since && { since: new Date(since) }),
        ...(until && { until: new Date(until) }),
      });
      const [row] = await storage.database.query<{ range: string | null }>(
        `SELECT min(event_id) || ' ' || max(event_id) || ' ' || count(*) AS range FROM archive
         WHERE archive_offset IN (${offsets.sql})`,
        offsets.parameters,
      );
      return row?.range;
    };
    expect(await visited()).toMatch(/ 46$/);
    expect(await visited('2026-03-02T09:00:00Z', '2026-03-02T09:30:00Z')).toBe('e10 e9 2');
    expect(await visited('2026-03-04T01:30:00Z')).toBe('e49 e49 1');
    expect(await visited(undefined, '2026-03-02T01:00:00Z')).toBe('e1 e1 1');
    expect(await visited('2026-03-05T00:00:00Z')).toBeNull();
    expect(await visited(undefined, '2026-03-01T00:00:00Z')).toBeNull();
    expect(
      await replayEvents(storage.database, { sink: 'a', since: new Date('2026-03-04T01:00:00Z') }, run()),
    ).toMatchObject({
      progress: { changed: 1, total: 1 },
    });
  });

  it('skips pending and parked deliveries. One in flight stays skipped, and its attempt is recorded', async () => {
    await archive(
      { id: 'e1', subject: 's', sequence: 1, alert: true, type: NOTICE },
      { id: 'e2', subject: 's', sequence: 2, type: NOTICE },
      { id: 'parked', subject: 't' },
    );
    await claim();
    await record(attemptResult('parked', 't', { kind: 'refused' }));
    await outbox.recordResults(
      'a',
      term.token,
      [attemptResult('e1', 's', { kind: 'failed', retryAfterMs: 60_000 })],
      ['s'],
    );
    await storage.database.query('UPDATE delivery_subject SET next_attempt_at = now()');
    await claim();
    const { database } = storage;
    expect(await skipDeliveries(database, { sinks: ['a'], ids: ['e1', 'parked'] }, run())).toMatchObject({
      progress: { changed: 2 },
    });
    await record({ ...attemptResult('e1', 's', { kind: 'delivered' }), attempts: 2 });
    await new ParkedDeliveries(database).recordResult('a', {
      ...attemptResult('parked', 't', { kind: 'delivered' }),
      attempts: 2,
    });
    expect(
      await database.query(
        `SELECT event_id, attempts, skipped, isfinite(delivered_at) AS done FROM delivery WHERE skipped ORDER BY event_id`,
      ),
    ).toEqual(['e1', 'parked'].map((id) => ({ event_id: id, attempts: 2, skipped: true, done: true })));
    expect(await database.query('SELECT FROM attempt WHERE number = 2')).toHaveLength(2);
    // The rest of the subject does not wait for the retry of the skipped one.
    expect(await claimIds()).toEqual(['e2']);
  });

  it('replays archived events to a new sink, after its other deliveries, and continues after a crash', async () => {
    const events = Array.from({ length: 700 }, (_, at) => ({
      id: `e${at}`,
      subject: `s${at % 600}`,
      sequence: at,
    }));
    await archive(...events, { id: 'heartbeat', type: 'settlementbus.bridge.heartbeat.v1', sinks: [] });
    await archive({ id: 'now', sinks: ['new'], type: NOTICE });
    const { database } = storage;
    const crash = run({
      save: async (_, progress) => {
        if (saved.push(progress) > 1) throw new Error('crash');
        await Promise.resolve();
      },
    });
    await expect(replayEvents(database, { sink: 'new' }, crash)).rejects.toThrow('crash');
    expect(saved[0]).toMatchObject({ changed: 500, total: 700 });
    const progress = saved[0];
    saved = [];
    expect(await replayEvents(database, { sink: 'new' }, run({ progress }))).toMatchObject({
      progress: { changed: 700, total: 700 },
    });
    expect(saved).toHaveLength(1);
    expect(await replayEvents(database, { sink: 'new' }, run())).toMatchObject({ progress: { total: 0 } });

    const claimed = await outbox.claim({
      ...{ sink: 'new', term: term.token, lowest: 3, subjects: 1_000, perSubject: 10, subjectsInProcess: [] },
    });
    expect(claimed.map(({ priority }) => priority)).toEqual([2, ...Array.from({ length: 600 }, () => 3)]);
    const ofSubject = claimed.find(({ subject }) => subject === 's5')?.deliveries;
    expect(ofSubject).toMatchObject([
      { eventId: 'e5', kind: 'notice', replayed: true, urgent: false, severity: 'info' },
      { eventId: 'e605' },
    ]);
  });

  it('keeps the deliveries of a disabled sink, and attempts them when it is enabled', async () => {
    const { database } = storage;
    const states = new SinkStates(database);
    const disabling = { by: 'jane', reason: 'moves to another address' };
    await archive({ id: 'parked' }, { id: 'e1', type: NOTICE });
    await claim();
    await record(attemptResult('parked', 'subject-of-parked', { kind: 'refused' }));
    await outbox.recordResults('a', term.token, [], ['subject-of-e1']);
    await states.recordFailure('a', term.token, { failingMs: 60_000, probeMs: 0, outcome: 'timeout' });
    expect(await setSinkDisabled(database, 'a', disabling)).toBe(true);
    expect(await setSinkDisabled(database, 'a', { by: 'john', reason: undefined })).toBe(false);
    // Of an attempt in flight.
    await states.recordFailure('a', term.token, { failingMs: 60_000, probeMs: 0, outcome: 'timeout' });
    await archive({ id: 'e2', type: NOTICE });

    const parked = new ParkedDeliveries(database);
    const query = { sink: 'a', term: term.token };
    await database.query(
      `UPDATE delivery SET parked_until = now() - interval '1 s' WHERE event_id = 'parked'`,
    );
    expect(await claimIds()).toEqual([]);
    expect(await outbox.claimProbe({ ...query, subjectsInProcess: [] })).toEqual([]);
    expect(await parked.takeDue({ ...query, acceptedMsAgo: undefined })).toBeUndefined();
    expect(await parked.takeProbe(query)).toBeUndefined();
    expect(await parked.nextDueMs({ ...query, acceptedMsAgo: undefined })).toBeUndefined();
    expect(await states.nextAttempt('a', 3)).toMatchObject({ disabled: true });
    expect(await states.listFailing()).toEqual([]);
    expect(await states.listDisabled()).toMatchObject([{ sink: 'a', ...disabling }]);

    expect(await setSinkDisabled(database, 'a', undefined)).toBe(true);
    expect(await setSinkDisabled(database, 'a', undefined)).toBe(false);
    expect((await claimIds()).sort()).toEqual(['e1', 'e2']);
    expect(await parked.takeDue({ ...query, acceptedMsAgo: undefined })).toMatchObject({ eventId: 'parked' });
  });

  it('tests a sink with one attempt that is recorded, and returns its response', async () => {
    const messages: SinkMessage[] = [];
    const sink: AlertSink = {
      name: 'a',
      deliver: (message) => {
        messages.push(message);
        return Promise.resolve({ kind: 'rejected', status: 403, response: 'no such key' });
      },
      close: () => Promise.resolve(),
    };
    const request = { requestId: '7', requestedAt: new Date(), author: 'jane', comment: 'new address' };
    const signal = new AbortController().signal;
    const result = await sendTest(storage.database, sink, request, signal);
    const again = await sendTest(storage.database, sink, request, signal);
    expect(result).toMatchObject({ outcome: 'rejected', status: 403, response: 'no such key', id: again.id });
    expect(messages[0]).toMatchObject({ eventId: result.id, kind: 'test' });
    expect(messages[1]).toEqual(messages[0]);
    expect(JSON.parse(messages[0]?.text ?? '')).toMatchObject({
      id: result.id,
      data: { sink: 'a', requestedBy: 'jane', comment: 'new address' },
    });
    expect(
      await storage.database.query('SELECT number, status, response FROM attempt ORDER BY number'),
    ).toEqual([1, 2].map((number) => ({ number, status: 403, response: 'no such key' })));
  });
});
