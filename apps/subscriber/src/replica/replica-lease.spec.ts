import { performance } from 'node:perf_hooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../alerts/http-sink.fixture.js';
import { openSubscriberDatabase, type SubscriberDatabase } from '../testing/subscriber-database.fixture.js';
import { acquireReaderLease } from './reader-lease.js';
import { ReplicaLease, type ReplicaLeaseOptions, type Term } from './replica-lease.js';

describe('ReplicaLease', () => {
  let storage: SubscriberDatabase;
  let leases: ReplicaLease[];

  beforeAll(async () => {
    storage = await openSubscriberDatabase();
  });
  beforeEach(async () => {
    await storage.clear();
    leases = [];
  });
  afterEach(async () => {
    for (const lease of leases) await lease.stop();
  });
  afterAll(() => storage.close());

  /** A replica with what became of its terms. */
  function replica(name: string, change: Partial<ReplicaLeaseOptions> = {}) {
    const terms: Term[] = [];
    const ended: number[] = [];
    const freed: number[] = [];
    const lease = new ReplicaLease({
      database: storage.database,
      name,
      ttlMs: 600,
      onStart: (term) => terms.push(term),
      onEnd: ({ token }) => ended.push(token),
      onBeat: (_, endedReplicas) => {
        freed.push(endedReplicas);
        return Promise.resolve();
      },
      onError: () => undefined,
      ...change,
    });
    leases.push(lease);
    lease.start();
    return { lease, terms, ended, freed };
  }

  const rows = () =>
    storage.database.query<{ fencing_token: number }>('SELECT fencing_token FROM replica ORDER BY 1');

  it('keeps its term for longer than one time to live', async () => {
    const { terms, freed, lease } = replica('a', { ttlMs: 500 });
    await until(() => freed.length > 6, 'several renewals');
    expect(terms).toHaveLength(1);
    expect(lease.current?.token).toBe(terms[0]?.token);
  });

  it('ends its term before the database does when it cannot renew it, and begins a later one afterwards', async () => {
    const { terms, ended } = replica('a', { ttlMs: 2_000 });
    await until(() => terms.length === 1, 'the term');
    await storage.server.shutDown();
    const from = performance.now();
    try {
      await until(() => terms[0]?.ended.aborted === true, 'the end of the term');
      expect(performance.now() - from).toBeLessThan(2_000);
      expect(terms[0]?.holds()).toBe(false);
    } finally {
      await storage.server.start();
    }
    await until(() => terms.length === 2, 'the next term');
    expect(ended).toEqual([terms[0]?.token]);
    expect(terms[1]?.token).toBeGreaterThan(terms[0]?.token ?? Infinity);
  });

  it('is replaced at once by a new process of the same name, and frees what it had claimed', async () => {
    const old = replica('a', { ttlMs: 20_000 });
    await until(() => old.terms.length === 1, 'the old term');
    const token = old.terms[0]?.token ?? NaN;
    expect(await acquireReaderLease(storage.database, 'c', token)).toMatchObject({ fencingToken: 1 });
    expect(await acquireReaderLease(storage.database, 'c', token)).toBeUndefined();
    const next = replica('a');
    await until(() => next.terms.length === 1, 'the new term');
    const reader = await acquireReaderLease(storage.database, 'c', next.terms[0]?.token ?? NaN);
    expect(reader).toMatchObject({ fencingToken: 2 });
  });

  it('removes another replica whose time is over, and no other', async () => {
    await storage.database.query(
      `INSERT INTO replica (name, expires_at) VALUES ('dead', now() - interval '1 ms'), ('living', now() + interval '1 hour')`,
    );
    const { freed } = replica('a');
    await until(() => freed.length > 0, 'the first beat');
    expect(freed[0]).toBe(1);
    expect(await rows()).toHaveLength(2);
  });

  it('leaves no row behind when it stops, and notifies the others', async () => {
    let notified = 0;
    const stop = await storage.database.listen('replicas', {
      received: () => (notified += 1),
      lost: () => undefined,
      regained: () => undefined,
    });
    const { lease, terms } = replica('a');
    await until(() => terms.length === 1, 'the term');
    await lease.stop();
    await until(() => notified === 1, 'the notification');
    await stop();
    expect(await rows()).toEqual([]);
    expect(terms[0]?.ended.aborted).toBe(true);
  });
});
