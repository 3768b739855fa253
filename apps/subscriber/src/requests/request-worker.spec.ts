import { DatabaseUnavailableError } from '@ssb/postgres';
import { createLogger, Metrics } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { z } from 'zod';
import { verifiedEntry } from '../../test/support/archive-entries.js';
import {
  createArchive,
  openSubscriberDatabase,
  type SubscriberDatabase,
} from '../../test/support/subscriber-database.js';
import type { AlertSink } from '../deliveries/sinks/alert-sink.js';
import type { Term } from '../replica/running-term.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { deliveryRequests } from './delivery-requests.js';
import { inSteps, inTransaction, type RequestHandlers } from './request-handler.js';
import { refuse } from './request.js';
import { RequestStore } from './request-store.js';
import { RequestWorker } from './request-worker.js';

const sink = z.strictObject({ sink: z.string() });
const DONE = { outcome: 'done' } as const;

describe('RequestWorker', () => {
  let storage: SubscriberDatabase;
  let workers: RequestWorker[];

  beforeAll(async () => {
    storage = await openSubscriberDatabase();
  });
  beforeEach(async () => {
    await storage.clear();
    workers = [];
  });
  afterEach(async () => {
    for (const worker of workers) await worker.stop();
  });
  afterAll(() => storage.close());

  function startWorker(term: Term, handlers: RequestHandlers): { worker: RequestWorker; metrics: Metrics } {
    const metrics = new Metrics();
    const worker = new RequestWorker({
      store: new RequestStore(storage.database),
      handlers,
      metrics: new SubscriberMetrics(metrics),
      log: createLogger({ name: 'subscriber', level: 'silent', format: 'json' }),
    });
    workers.push(worker);
    worker.start(term);
    return { worker, metrics };
  }

  const add = async (kind: string, parameters: object = { sink: 'a' }): Promise<void> => {
    await storage.server.query(
      `INSERT INTO subscriber.request (kind, parameters, author) VALUES ($1, $2, 'jane')`,
      [kind, JSON.stringify(parameters)],
    );
  };

  const readRequests = () =>
    storage.database.query<{ outcome: string | null; result: object | null; progress: object | null }>(
      'SELECT outcome, result, progress, claimed_by FROM request ORDER BY request_id',
    );

  const ended = () =>
    waitFor('the end of all requests', async () => {
      const rows = await readRequests();
      return rows.every(({ outcome }) => outcome !== null) && rows;
    });

  it('carries out the requests of a place in order, beside those of another one, and audits both steps', async () => {
    const term = await storage.newTerm();
    const carriedOut: string[] = [];
    let isReplayed = false;
    const { worker, metrics } = startWorker(term, {
      'enable-sink': inTransaction('decisions', sink, ({ kind }) => {
        carriedOut.push(kind);
        return Promise.resolve(DONE);
      }),
      'disable-sink': inTransaction('decisions', sink, ({ kind }) => {
        carriedOut.push(kind);
        return Promise.resolve(refuse('It is disabled already.'));
      }),
      replay: inSteps('replays', sink, async () => {
        await waitFor('the other requests', () => isReplayed);
        return { outcome: 'done', result: { deliveries: 3, response: 'a\0\ud800' } };
      }),
    });
    for (const kind of ['replay', 'enable-sink', 'disable-sink', 'enable-sink']) await add(kind);
    worker.wake();
    await waitFor('the decisions', () => carriedOut.length === 3);
    expect(carriedOut).toEqual(['enable-sink', 'disable-sink', 'enable-sink']);
    isReplayed = true;
    expect(await ended()).toMatchObject([
      { outcome: 'done', result: { deliveries: 3, response: 'a\uFFFD\uFFFD' }, claimed_by: null },
      { outcome: 'done' },
      { outcome: 'refused', result: { reason: 'It is disabled already.' } },
      { outcome: 'done' },
    ]);
    expect(
      await storage.database.query(
        `SELECT kind, step, author, database_role FROM audit WHERE kind = 'disable-sink' ORDER BY audit_id`,
      ),
    ).toEqual([
      { kind: 'disable-sink', step: 'requested', author: 'jane', database_role: 'postgres' },
      { kind: 'disable-sink', step: 'refused', author: 'jane', database_role: 'postgres' },
    ]);
    expect(await metrics.registry.metrics()).toContain(
      'requests_total{kind="disable-sink",outcome="refused"} 1',
    );
  });

  it('refuses parameters that the kind does not have', async () => {
    startWorker(await storage.newTerm(), { test: inSteps('tests', sink, () => Promise.resolve(DONE)) });
    await add('test', { sinks: 'a' });
    workers[0]?.wake();
    expect(await ended()).toMatchObject([
      {
        outcome: 'refused',
        result: { reason: expect.stringMatching(/^The parameters sink of the request test are invalid: /) },
      },
    ]);
  });

  it('resends to every sink what it refused, and withheld deliveries only by their state', async () => {
    const events = ['parked', 'withheld'].map((id) => verifiedEntry({ id, sinks: ['a', 'b'] }));
    const archive = createArchive(storage.database, {
      alertsSince: () => new Map([['WPGENCO', new Date(0)]]),
    });
    await archive.recordEntries(events, new Date(), await storage.newReader());
    await storage.database.query(
      `UPDATE delivery SET delivered_at = 'infinity', parked_at = now(), parked_until = now() WHERE event_id = 'parked'`,
    );
    await storage.database.query(
      `UPDATE delivery SET delivered_at = now(), withheld = 'muted' WHERE event_id = 'withheld'`,
    );
    const sinks = ['a', 'b'].map((name): AlertSink => ({
      name,
      deliver: () => Promise.resolve({ kind: 'delivered' }),
      close: () => Promise.resolve(),
    }));
    const { database } = storage;
    startWorker(await storage.newTerm(), deliveryRequests({ database, sinks: () => sinks }));
    await add('resend', { states: ['parked'] });
    await add('resend', { sink: 'a', since: '2026-01-01T00:00:00Z' });
    await add('resend', { sink: 'a', states: ['withheld'] });
    await add('resend', {});
    workers[0]?.wake();
    expect((await ended()).map(({ outcome, result }) => ({ outcome, ...result }))).toEqual([
      { outcome: 'done', changed: 2, total: 2 },
      { outcome: 'done', changed: 0, total: 0 },
      { outcome: 'done', changed: 1, total: 1 },
      { outcome: 'refused', reason: expect.stringMatching(/: Name a sink, /) as unknown },
    ]);
  });

  it('skips what is stored for a sink that was removed, and resends nothing to it', async () => {
    const archive = createArchive(storage.database, {
      alertsSince: () => new Map([['WPGENCO', new Date(0)]]),
    });
    const former = ['parked', 'pending'].map((id) => verifiedEntry({ id, subject: id, sinks: ['former'] }));
    await archive.recordEntries(former, new Date(), await storage.newReader());
    await storage.database.query(
      `UPDATE delivery SET delivered_at = 'infinity', parked_at = now(), parked_until = now() WHERE event_id = 'parked'`,
    );
    await storage.database.query(
      `UPDATE delivery_subject SET pending = 0, urgent = 0 WHERE subject = 'parked'`,
    );
    startWorker(await storage.newTerm(), deliveryRequests({ database: storage.database, sinks: () => [] }));
    await add('resend', { sink: 'former', states: ['parked'] });
    await add('skip', { sink: 'former', states: ['parked'] });
    await add('skip', { sink: 'former' });
    await add('skip', { sink: 'unknown' });
    workers[0]?.wake();
    expect((await ended()).map(({ outcome, result }) => ({ outcome, ...result }))).toEqual([
      {
        outcome: 'refused',
        reason: expect.stringMatching(/^CONFIG_FILE .+ has no sink former\./) as unknown,
      },
      { outcome: 'done', changed: 1, total: 1 },
      { outcome: 'done', changed: 1, total: 1 },
      {
        outcome: 'refused',
        reason: expect.stringMatching(/^CONFIG_FILE .+ has no sink unknown\./) as unknown,
      },
    ]);
    expect(await storage.database.query('SELECT FROM delivery WHERE skipped')).toHaveLength(2);
  });

  it('continues the request of a replica whose term has ended, from its saved progress', async () => {
    const first = await storage.newTerm();
    const second = await storage.newTerm();
    const started: unknown[] = [];
    const replay = (term: Term) => ({
      replay: inSteps('replays', sink, async ({ progress }, run) => {
        started.push([term.token, progress]);
        await storage.database.transaction((session) => run.saveProgress(session, { done: 5 }));
        if (term === first) {
          await waitFor('the end of the term', () => run.signal.aborted);
          await run.retry(() => Promise.resolve());
        }
        return DONE;
      }),
    });
    const { worker: one } = startWorker(first, replay(first));
    await add('replay');
    one.wake();
    await waitFor('the progress', async () => (await readRequests())[0]?.progress);
    const { worker: other } = startWorker(second, replay(second));
    first.end();
    await one.stop();
    expect(started).toEqual([[first.token, undefined]]);
    await storage.database.query('DELETE FROM replica WHERE fencing_token = $1', [first.token]);
    other.wake();
    await ended();
    expect(started).toEqual([
      [first.token, undefined],
      [second.token, { done: 5 }],
    ]);
  });

  it('retries while the database is unavailable, and ends a request that fails otherwise without its values', async () => {
    let attempts = 0;
    startWorker(await storage.newTerm(), {
      acknowledge: inTransaction('decisions', sink, () => {
        attempts += 1;
        return attempts < 3 ? Promise.reject(new DatabaseUnavailableError('away')) : Promise.resolve(DONE);
      }),
      close: inTransaction('decisions', sink, async (_, session) => {
        await session.query(`INSERT INTO sink_state (sink) VALUES ('kept')`);
        await session.query(`INSERT INTO sink_state (sink) VALUES ('secret'), ('secret')`);
        return DONE;
      }),
    });
    await add('acknowledge');
    await add('close');
    workers[0]?.wake();
    const [acknowledged, closed] = await ended();
    expect([attempts, acknowledged?.outcome]).toEqual([3, 'done']);
    expect(closed).toMatchObject({
      outcome: 'failed',
      result: { reason: expect.stringMatching(/could not carry it out: SQLSTATE 23505\. /) },
    });
    expect(JSON.stringify(closed)).not.toContain('secret');
    expect(await storage.database.query('SELECT FROM sink_state')).toEqual([]);
  });
});
