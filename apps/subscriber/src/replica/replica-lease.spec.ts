import { Database, DatabaseUnavailableError } from '@ssb/postgres';
import { waitFor } from '@ssb/testing';
import { SCHEMA } from '@ssb/postgres/archive-schema';
import { databaseTimeouts } from '../database/database-options.js';
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

  /** A replica that records its terms. The tests wake it, so that no term ends because the machine is slow. */
  function replica(name: string, change: Partial<ReplicaLeaseOptions> = {}) {
    const terms: Term[] = [];
    const ended: number[] = [];
    const errors: unknown[] = [];
    let rounds = 0;
    const lease = new ReplicaLease({
      database: storage.database,
      name,
      ttlMs: 600_000,
      onStart: (term) => terms.push(term),
      onEnd: ({ token }) => ended.push(token),
      onRound: () => {
        rounds += 1;
        return Promise.resolve();
      },
      onError: (error) => errors.push(error),
      ...change,
    });
    leases.push(lease);
    lease.start();
    const count = (): number => rounds + errors.length;
    /** Runs another round, and a second one if the first had begun before. */
    const nextRounds = async (): Promise<void> => {
      for (const target of [count() + 1, count() + 2]) {
        lease.wake();
        await waitFor('the next round', () => count() >= target);
      }
    };
    const started = (number = 1) => waitFor(`term ${number}`, () => terms.length === number);
    return { lease, terms, ended, errors, nextRounds, started };
  }

  const rows = () =>
    storage.database.query<{ fencing_token: number }>('SELECT fencing_token FROM replica ORDER BY 1');

  const expiryOf = async ({ token }: Term): Promise<number> => {
    const [row] = await storage.database.query<{ expires_at: Date }>(
      'SELECT expires_at FROM replica WHERE fencing_token = $1',
      [token],
    );
    return row?.expires_at.getTime() ?? NaN;
  };

  it('ends its term before the database does when it cannot renew it, and starts another afterwards', async () => {
    let isAway = false;
    const assertThere = (): void => {
      if (isAway) throw new DatabaseUnavailableError('no connection');
    };
    const database = Object.create(storage.database, {
      query: {
        value: async (sql: string, values?: []) => (assertThere(), storage.database.query(sql, values)),
      },
      transaction: {
        value: async (work: Parameters<Database['transaction']>[0]) => (
          assertThere(),
          storage.database.transaction(work)
        ),
      },
    }) as Database;
    const { terms, ended } = replica('a', { database, ttlMs: 5_000 });
    const term = await waitFor('the term', () => terms.at(-1));
    isAway = true;
    let activeAt = 0;
    await waitFor('the end of the term', () => {
      const at = Date.now();
      if (!term.isActive()) return true;
      activeAt = at;
      return false;
    });
    expect(activeAt).toBeLessThan(await expiryOf(term));
    isAway = false;
    await waitFor('the next term', () => terms.some(({ token }) => token > term.token));
    expect(ended).toContain(term.token);
  });

  it('is replaced at once by a new process of the same name, which releases its claims', async () => {
    const old = replica('a');
    await old.started();
    const token = old.terms[0]?.token ?? NaN;
    expect(await acquireReaderLease(storage.database, 'c', token)).toMatchObject({ fencingToken: 1 });
    const next = replica('a');
    await next.started();
    const reader = await acquireReaderLease(storage.database, 'c', next.terms[0]?.token ?? NaN);
    expect(reader).toMatchObject({ fencingToken: 2 });
  });

  it('waits while another process uses its name, and does not replace it', async () => {
    const old = replica('a');
    await old.started();
    const next = replica('a');
    await next.started();
    for (const each of [old, next, old, next]) await each.nextRounds();
    expect(old.errors.every((error) => error instanceof ReplicaNameInUseError)).toBe(true);
    expect([old.terms.length, old.terms[0]?.isActive(), next.terms.length]).toEqual([1, false, 1]);
    await next.lease.stop();
    old.lease.wake();
    await old.started(2);
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
      timeouts: { statementMs: 20_000, lockMs: 50 },
    });
    try {
      const { lease, terms, errors, nextRounds, started } = replica('a', { database });
      await started();
      const [term] = terms as [Term];
      const before = await expiryOf(term);
      await nextRounds();
      expect(await expiryOf(term)).toBeGreaterThan(before);
      expect([terms.length, term.isActive(), errors]).toEqual([1, true, []]);
      suspended = false;
      await transaction;
      lease.wake();
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
      // The server ends the transaction after a third of it. The process may pause between two statements for as long.
      timeouts: databaseTimeouts({ LEASE_TTL_MS: 15_000 }),
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
    await replica('a').nextRounds();
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
