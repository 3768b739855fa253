import { performance } from 'node:perf_hooks';
import { Database, DatabaseUnavailableError } from '@ssb/postgres';
import { waitFor } from '@ssb/testing';
import { databaseTimeouts, SCHEMA } from '../database/database-options.js';
import { openSubscriberDatabase, type SubscriberDatabase } from '../../test/support/subscriber-database.js';
import { acquireReaderLease, releaseReaderLease, assertReader } from './reader-lease.js';
import { ReplicaLease, ReplicaNameInUseError, type ReplicaLeaseOptions } from './replica-lease.js';
import type { Term } from './running-term.js';

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

  /** A replica that records its terms. */
  function replica(name: string, change: Partial<ReplicaLeaseOptions> = {}) {
    const terms: Term[] = [];
    const ended: number[] = [];
    const errors: unknown[] = [];
    let renewals = 0;
    const lease = new ReplicaLease({
      database: storage.database,
      name,
      ttlMs: 3_000,
      onStart: (term) => terms.push(term),
      onEnd: ({ token }) => ended.push(token),
      onRenewed: () => {
        renewals += 1;
        return Promise.resolve();
      },
      onError: (error) => errors.push(error),
      ...change,
    });
    leases.push(lease);
    lease.start();
    return { lease, terms, ended, errors, renewals: () => renewals };
  }

  const rows = () =>
    storage.database.query<{ fencing_token: number }>('SELECT fencing_token FROM replica ORDER BY 1');

  it('keeps its term for longer than one time to live', async () => {
    const { terms, renewals } = replica('a', { ttlMs: 3_000 });
    await waitFor('several renewals', () => renewals() > 4);
    expect(terms).toHaveLength(1);
    expect(terms[0]?.isActive()).toBe(true);
  });

  it('ends its term before the database does when it cannot renew it, and starts another afterwards', async () => {
    const { terms, ended } = replica('a', { ttlMs: 5_000 });
    await waitFor('the term', () => terms.length === 1);
    await storage.server.shutDown();
    const from = performance.now();
    try {
      await waitFor('the end of the term', () => terms[0]?.ended.aborted === true);
      expect(performance.now() - from).toBeLessThan(5_000);
      expect(terms[0]?.isActive()).toBe(false);
    } finally {
      await storage.server.start();
    }
    await waitFor('the next term', () => terms.length === 2);
    expect(ended).toEqual([terms[0]?.token]);
    expect(terms[1]?.token).toBeGreaterThan(terms[0]?.token ?? Infinity);
  });

  it('is replaced at once by a new process of the same name, which releases its claims', async () => {
    const old = replica('a', { ttlMs: 20_000 });
    await waitFor('the old term', () => old.terms.length === 1);
    const token = old.terms[0]?.token ?? NaN;
    expect(await acquireReaderLease(storage.database, 'c', token)).toMatchObject({ fencingToken: 1 });
    const next = replica('a');
    await waitFor('the new term', () => next.terms.length === 1);
    const reader = await acquireReaderLease(storage.database, 'c', next.terms[0]?.token ?? NaN);
    expect(reader).toMatchObject({ fencingToken: 2 });
  });

  it('waits while another process uses its name, and does not replace it', async () => {
    const old = replica('a', { ttlMs: 3_000 });
    await waitFor('the old term', () => old.terms.length === 1);
    const next = replica('a', { ttlMs: 3_000 });
    await waitFor('the refusal', () => old.errors.some((error) => error instanceof ReplicaNameInUseError));
    expect(old.terms[0]?.isActive()).toBe(false);
    await waitFor('several renewals', () => next.renewals() > 3);
    expect([old.terms.length, next.terms.length]).toEqual([1, 1]);
    await next.lease.stop();
    await waitFor('the next term of the old process', () => old.terms.length === 2);
  });

  it('returns the reader lease again to its holder, and to no other replica', async () => {
    const [one, other] = [await storage.newTerm(), await storage.newTerm()];
    expect(await acquireReaderLease(storage.database, 'c', one.token)).toMatchObject({ fencingToken: 1 });
    expect(await acquireReaderLease(storage.database, 'c', one.token)).toMatchObject({ fencingToken: 2 });
    expect(await acquireReaderLease(storage.database, 'c', other.token)).toBeUndefined();
    await releaseReaderLease(storage.database, { clientId: 'c', fencingToken: 1 });
    expect(await acquireReaderLease(storage.database, 'c', other.token)).toBeUndefined();
    await releaseReaderLease(storage.database, { clientId: 'c', fencingToken: 2 });
    expect(await acquireReaderLease(storage.database, 'c', other.token)).toMatchObject({ fencingToken: 3 });
  });

  it('renews its term while a suspended transaction holds a lock', async () => {
    await storage.database.query(`INSERT INTO replica (name, expires_at) VALUES ('suspended', now())`);
    let suspended = true;
    const transaction = storage.database.transaction(async (session) => {
      await session.query(`SELECT 1 FROM replica WHERE name = 'suspended' FOR SHARE`);
      await waitFor('the end of the suspension', () => !suspended);
    });
    const database = new Database({
      url: storage.url,
      schema: SCHEMA,
      timeouts: { statementMs: 1_000, lockMs: 50 },
    });
    try {
      const { renewals, terms, errors } = replica('a', { database, ttlMs: 3_000 });
      await waitFor('a renewal after the first round', () => renewals() > 1);
      expect([terms.length, errors]).toEqual([1, []]);
      suspended = false;
      await transaction;
      await waitFor('the removal', async () => (await rows()).length === 1);
      for (const lease of leases.splice(0)) await lease.stop();
    } finally {
      suspended = false;
      await database.close();
    }
  });

  it('takes over a reader lease whose holder is suspended in a transaction', async () => {
    const database = new Database({
      url: storage.url,
      schema: SCHEMA,
      timeouts: databaseTimeouts({ LEASE_TTL_MS: 600 }),
    });
    const holder = await storage.newTerm();
    const reader = await acquireReaderLease(storage.database, 'c', holder.token);
    if (reader === undefined) throw new Error('another replica reads');
    let suspended = true;
    let isLocked = false;
    const batch = database.transaction(async (session) => {
      await assertReader(session, reader);
      isLocked = true;
      await waitFor('the end of the suspension', () => !suspended);
      await session.query(`INSERT INTO inbox (event_id, received_at) VALUES ('late', now())`);
    });
    const refused = expect(batch).rejects.toThrow(DatabaseUnavailableError);
    try {
      await waitFor('the lock', () => isLocked);
      const { token } = await storage.newTerm();
      await storage.database.query('DELETE FROM replica WHERE fencing_token = $1', [holder.token]);
      expect(await acquireReaderLease(storage.database, 'c', token)).toMatchObject({ fencingToken: 2 });
    } finally {
      suspended = false;
      await refused;
      await database.close();
    }
    expect(await storage.database.query('SELECT event_id FROM inbox')).toEqual([]);
  });

  it('removes expired replicas and no others', async () => {
    await storage.database.query(
      `INSERT INTO replica (name, expires_at) VALUES ('dead', now() - interval '1 ms'), ('living', now() + interval '1 hour')`,
    );
    const { renewals } = replica('a');
    await waitFor('the first renewal', () => renewals() > 0);
    const names = await storage.database.query('SELECT name FROM replica ORDER BY name');
    expect(names).toEqual([{ name: 'a' }, { name: 'living' }]);
  });

  it('notifies the other replicas at its start and stop, and deletes its row', async () => {
    let notified = 0;
    const stop = await storage.database.listen('replicas', {
      received: () => (notified += 1),
      lost: () => undefined,
      regained: () => undefined,
    });
    const { lease, terms } = replica('a');
    await waitFor('the term and its notification', () => terms.length === 1 && notified === 1);
    await lease.stop();
    await waitFor('the notification of its end', () => notified === 2);
    await stop();
    expect(await rows()).toEqual([]);
    expect(terms[0]?.ended.aborted).toBe(true);
  });
});
