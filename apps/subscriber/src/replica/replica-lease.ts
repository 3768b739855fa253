import { randomUUID } from 'node:crypto';
import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Database } from '@ssb/database';
import { REPLICAS_CHANNEL } from './reader-lease.js';

/** A term of a replica: as long as it holds, no other replica takes over what this one has claimed. */
export interface Term {
  /** Greater than that of every earlier term of any replica; every claim carries it. */
  readonly token: number;
  /** Aborted when the term has ended, or can no longer be proven. */
  readonly ended: AbortSignal;
  /** False as soon as the term may have ended, also right after the process or the machine was suspended. */
  holds(): boolean;
}

/** Another process runs under the same name and has replaced this one. */
export class ReplicaNameInUseError extends Error {
  override readonly name = 'ReplicaNameInUseError';

  constructor(readonly replica: string) {
    super(
      `Another replica runs under the name ${replica} and has replaced this one. Give each replica a REPLICA_NAME of its own.`,
    );
  }
}

export interface ReplicaLeaseOptions {
  /** Its statements must end well within the time to live. */
  readonly database: Database;
  /** Names this replica; unique among those that run. A process that starts replaces one of the same name at once. */
  readonly name: string;
  /** How long a term outlives its replica. */
  readonly ttlMs: number;
  readonly onStart: (term: Term) => void;
  readonly onEnd: (term: Term) => void;
  /** After each renewal: work of other replicas may be free. */
  readonly onRenewed: (term: Term) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Rounds begin a third of the time to live apart, and sooner after one that failed. */
const ROUNDS_PER_TTL = 3;
const REPEATS_PER_TTL = 20;
/** Failures in a row after which a round is repeated soon: further ones would only fill the log. */
const SOON_REPEATED = 2;
/** The replica gives up this much earlier than the others may take over, as a share of the time to live. */
const SAFETY_SHARE = 0.1;

/**
 * Keeps the replica's row in the database. Each round renews the term or begins one. It also removes expired rows of other replicas, which
 * frees what they had claimed.
 */
export class ReplicaLease {
  private readonly processId = randomUUID();
  private term: RunningTerm | undefined;
  private hasHadTerm = false;
  private failures = 0;
  private wokenMeanwhile = false;
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: ReplicaLeaseOptions) {}

  start(): void {
    this.round = this.runRound();
  }

  /** A write was refused because the term is over: begins another at once. */
  lost(term: Term): void {
    if (this.term !== term) return;
    this.end();
    this.wake();
  }

  /** Removes the replica, so that others need not wait for its end. Harmless when repeated. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.round;
    const { term } = this;
    this.end();
    if (term === undefined) return;
    await this.options.database
      .transaction(async (session) => {
        await session.query('DELETE FROM replica WHERE fencing_token = $1', [term.token]);
        await session.notify(REPLICAS_CHANNEL, '');
      })
      .catch(this.options.onError);
  }

  /** Another replica began or released a lease. */
  wake(): void {
    this.wokenMeanwhile = true;
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
    const { onRenewed, onError, ttlMs } = this.options;
    if (this.stopped) return;
    this.wokenMeanwhile = false;
    const from = steadyNow();
    try {
      if (this.term?.holds()) await this.renew(this.term);
      if (!this.term?.holds()) await this.begin();
      await this.removeExpired();
      if (this.term?.holds()) await onRenewed(this.term);
      this.failures = 0;
    } catch (error) {
      onError(error);
      this.failures += 1;
    }
    const repeatsSoon = this.failures > 0 && this.failures <= SOON_REPEATED;
    const pauseMs = repeatsSoon ? 0 : ttlMs / ROUNDS_PER_TTL;
    this.schedule(
      this.wokenMeanwhile ? 0 : Math.max(pauseMs - (steadyNow() - from), ttlMs / REPEATS_PER_TTL),
    );
  }

  /** A row that a transaction of its replica still holds is left for the next round. */
  private async removeExpired(): Promise<void> {
    const { database, onError } = this.options;
    try {
      await database.query('DELETE FROM replica WHERE expires_at < clock_timestamp()');
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) onError(error);
    }
  }

  private async begin(): Promise<void> {
    const { database, name, ttlMs, onStart } = this.options;
    this.end();
    const from = steadyNow();
    const row = await database.transaction(async (session) => {
      // Only a process that starts replaces another: two that run would replace each other again and again.
      const [begun] = await session.query<{ fencing_token: number }>(
        `WITH former AS (DELETE FROM replica WHERE process_id = $2 OR ($3 AND name = $1))
         INSERT INTO replica (name, process_id, expires_at) SELECT $1, $2, clock_timestamp() + make_interval(secs => $4)
         WHERE $3 OR NOT EXISTS (
           SELECT 1 FROM replica WHERE name = $1 AND process_id <> $2 AND expires_at > clock_timestamp())
         RETURNING fencing_token`,
        [name, this.processId, !this.hasHadTerm, ttlMs / 1000],
      );
      // A process that was replaced learns of it at once.
      if (begun !== undefined) await session.notify(REPLICAS_CHANNEL, '');
      return begun;
    });
    if (row === undefined) throw new ReplicaNameInUseError(name);
    const term = new RunningTerm(row.fencing_token, () => this.lost(term));
    term.extend(from, ttlMs);
    this.hasHadTerm = true;
    this.term = term;
    onStart(term);
  }

  private async renew(term: RunningTerm): Promise<void> {
    const { database, ttlMs } = this.options;
    // The database counts from later on, so others never take over before this replica gives up.
    const from = steadyNow();
    const renewed = await database.query(
      `UPDATE replica SET expires_at = clock_timestamp() + make_interval(secs => $2)
       WHERE fencing_token = $1 AND expires_at > clock_timestamp() RETURNING fencing_token`,
      [term.token, ttlMs / 1000],
    );
    if (renewed.length > 0) term.extend(from, ttlMs);
    else this.end();
  }

  private end(): void {
    const { term } = this;
    if (term === undefined) return;
    this.term = undefined;
    term.end();
    this.options.onEnd(term);
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

const monotonicStart = performance.now();
const uptimeStart = uptime();

/** Milliseconds that have passed. The monotonic clock stands still while the machine is suspended, the uptime does not. */
function steadyNow(): number {
  return Math.max(performance.now() - monotonicStart, (uptime() - uptimeStart) * 1000);
}

class RunningTerm implements Term {
  private readonly controller = new AbortController();
  private until = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly token: number,
    private readonly onExpiry: () => void,
  ) {}

  get ended(): AbortSignal {
    return this.controller.signal;
  }

  holds(): boolean {
    return !this.ended.aborted && steadyNow() < this.until;
  }

  /** @param from `steadyNow()` when the request was sent that the database granted */
  extend(from: number, ttlMs: number): void {
    if (this.ended.aborted) return;
    this.until = from + ttlMs * (1 - SAFETY_SHARE);
    clearTimeout(this.timer);
    this.timer = setTimeout(this.onExpiry, Math.max(0, this.until - steadyNow()));
  }

  end(): void {
    clearTimeout(this.timer);
    this.controller.abort();
  }
}
