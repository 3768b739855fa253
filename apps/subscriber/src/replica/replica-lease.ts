import { randomUUID } from 'node:crypto';
import type { Database, SqlSession } from '@ssb/postgres';
import { classifyStorageFailure } from '../database/domain/storage-failure.js';
import { advanceIdentities } from '../archive/identities.js';
import { describeDatabaseError } from '../database/retry-database.js';
import { REPLICAS_CHANNEL } from './reader-lease.js';
import { RunningTerm, steadyNow, type Term } from './running-term.js';

/** SQL: the replica's term $1 has not ended, by the database's clock. */
export const TERM_IS_ACTIVE =
  'EXISTS (SELECT 1 FROM replica WHERE fencing_token = $1 AND expires_at > clock_timestamp())';

/** Another process uses the same replica name and has replaced this one. */
export class ReplicaNameInUseError extends Error {
  override readonly name = 'ReplicaNameInUseError';

  constructor(readonly replica: string) {
    super(
      `Another replica runs under the name ${replica} and has replaced this one. Give each replica a REPLICA_NAME of its own.`,
    );
  }
}

export interface ReplicaLeaseOptions {
  /** Its statement timeouts must be much shorter than `ttlMs`. */
  readonly database: Database;
  /** Unique among the running replicas. A new process replaces an old one of the same name at once. */
  readonly name: string;
  /** How long a term lasts without a renewal. */
  readonly ttlMs: number;
  readonly onStart: (term: Term) => void;
  readonly onEnd: (term: Term) => void;
  /** Called in each round of a term, the first one included, because other replicas may have released work. */
  readonly onRound: (term: Term) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Rounds start at intervals of a third of the time to live, and sooner after a failure. */
const ROUNDS_PER_TTL = 3;
const MAX_ROUNDS_PER_TTL = 20;
/** Consecutive failures that are repeated at once; more would only fill the log. */
const MAX_QUICK_RETRIES = 2;
/** A single failure is repeated at once and does not make the replica unready. */
const MIN_FAILURES = 2;

/**
 * Maintains the replica's row in the database. Each round renews the term or starts one, and deletes expired rows of other replicas, which
 * releases their claims.
 */
export class ReplicaLease {
  private readonly processId = randomUUID();
  private term: RunningTerm | undefined;
  private hadTerm = false;
  private failures = 0;
  private lastError: unknown;
  private wakePending = false;
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: ReplicaLeaseOptions) {}

  start(): void {
    this.round = this.runRound();
  }

  /** @throws Error with the reason when the last two rounds failed. A renewal is a write, so it fails on a read-only server. */
  assertRenewal(): void {
    if (this.failures < MIN_FAILURES) return;
    throw new Error(`The replica lease cannot be renewed: ${describeDatabaseError(this.lastError)}`);
  }

  /** @throws Error with the reason when the last two rounds failed because of the database */
  assertDatabase(): void {
    if (!(this.lastError instanceof ReplicaNameInUseError)) this.assertRenewal();
  }

  /** Deletes the replica's row, so that others take over at once. Repeatable. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.round;
    const { term } = this;
    this.endTerm();
    if (term === undefined) return;
    await this.options.database
      .transaction(async (session) => {
        await session.query('DELETE FROM replica WHERE fencing_token = $1', [term.token]);
        await session.notify(REPLICAS_CHANNEL, '');
      })
      .catch(this.options.onError);
  }

  /** Runs the next round now. Call it when another replica acquired or released a lease. */
  wake(): void {
    this.wakePending = true;
    this.schedule(0);
  }

  private schedule(delayMs: number): void {
    if (this.stopped) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.round = this.round.then(() => this.runRound());
    }, delayMs);
  }

  private async runRound(): Promise<void> {
    const { onRound, onError, ttlMs } = this.options;
    if (this.stopped) return;
    this.wakePending = false;
    const startedAt = steadyNow();
    try {
      if (this.term?.isActive()) await this.renew(this.term);
      if (!this.term?.isActive()) await this.startTerm();
      await this.removeExpired();
      if (this.term?.isActive()) await onRound(this.term);
      this.failures = 0;
    } catch (error) {
      onError(error);
      this.failures += 1;
      this.lastError = error;
    }
    const retriesQuickly = this.failures > 0 && this.failures <= MAX_QUICK_RETRIES;
    const pauseMs = retriesQuickly ? 0 : ttlMs / ROUNDS_PER_TTL;
    this.schedule(
      this.wakePending ? 0 : Math.max(pauseMs - (steadyNow() - startedAt), ttlMs / MAX_ROUNDS_PER_TTL),
    );
  }

  /** Leaves a row that a transaction of its replica still locks for the next round. */
  private async removeExpired(): Promise<void> {
    const { database, onError } = this.options;
    try {
      await database.query('DELETE FROM replica WHERE expires_at < clock_timestamp()');
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) onError(error);
    }
  }

  private async startTerm(): Promise<void> {
    const { database, name, ttlMs, onStart } = this.options;
    this.endTerm();
    const startedAt = steadyNow();
    const insert = async (session: SqlSession) => {
      // Only a new process replaces another one. Two running processes would replace each other repeatedly.
      const [started] = await session.query<{ fencing_token: number }>(
        `WITH former AS (DELETE FROM replica WHERE process_id = $2 OR ($3 AND name = $1))
         INSERT INTO replica (name, process_id, expires_at) SELECT $1, $2, clock_timestamp() + make_interval(secs => $4)
         WHERE $3 OR NOT EXISTS (
           SELECT 1 FROM replica WHERE name = $1 AND process_id <> $2 AND expires_at > clock_timestamp())
         RETURNING fencing_token`,
        [name, this.processId, !this.hadTerm, ttlMs / 1000],
      );
      // Notifies a replaced process at once.
      if (started !== undefined) await session.notify(REPLICAS_CHANNEL, '');
      return started;
    };
    const row = await database.transaction(insert).catch(async (error: unknown) => {
      // The next round starts the term.
      if (classifyStorageFailure(error) === 'identity') await advanceIdentities(database);
      throw error;
    });
    if (row === undefined) throw new ReplicaNameInUseError(name);
    const term = new RunningTerm(row.fencing_token, () => this.endLost(term));
    term.extend(startedAt, ttlMs);
    this.hadTerm = true;
    this.term = term;
    onStart(term);
  }

  private async renew(term: RunningTerm): Promise<void> {
    const { database, ttlMs } = this.options;
    // Taken before the request, so this replica always ends its term before others may take over.
    const startedAt = steadyNow();
    const renewed = await database.query(
      `UPDATE replica SET expires_at = clock_timestamp() + make_interval(secs => $2)
       WHERE fencing_token = $1 AND expires_at > clock_timestamp() RETURNING fencing_token`,
      [term.token, ttlMs / 1000],
    );
    if (renewed.length > 0) term.extend(startedAt, ttlMs);
    else this.endTerm();
  }

  private endLost(term: Term): void {
    if (this.term !== term) return;
    this.endTerm();
    this.wake();
  }

  private endTerm(): void {
    const { term } = this;
    if (term === undefined) return;
    this.term = undefined;
    term.end();
    this.options.onEnd(term);
  }
}

const LOCK_NOT_AVAILABLE = '55P03';
