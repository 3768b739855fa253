import { performance } from 'node:perf_hooks';
import type { Database } from '@ssb/database';

/** Channel on which a replica that stops notifies the others. */
export const REPLICAS_CHANNEL = 'replicas';

/** A term of a replica: as long as it holds, no other replica takes over what this one has claimed. */
export interface Term {
  /** Greater than that of every earlier term of any replica; every claim carries it. */
  readonly token: number;
  /** Aborted when the term has ended, or can no longer be proven. */
  readonly ended: AbortSignal;
  /** False as soon as the term may have ended, also right after the process was suspended. */
  holds(): boolean;
}

export interface ReplicaLeaseOptions {
  readonly database: Database;
  /** Names this replica; unique among those that run. A new process of the same name replaces the old one at once. */
  readonly name: string;
  /** How long a term outlives its replica. */
  readonly ttlMs: number;
  readonly onStart: (term: Term) => void;
  readonly onEnd: (term: Term) => void;
  /** After each renewal; other replicas may have ended, so that work is free. */
  readonly onBeat: (term: Term, endedReplicas: number) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Renewals in a term's time to live: two may fail. */
const BEATS_PER_TTL = 3;
/** The replica gives up this much earlier than the others may take over, as a share of the time to live. */
const SAFETY_SHARE = 0.1;

/**
 * States: no term → (row inserted) term → (renewal refused, or none in time) no term → … Each beat renews the term or begins one, and removes
 * the rows of replicas whose time is over: only that frees what they have claimed.
 */
export class ReplicaLease {
  private term: RunningTerm | undefined;
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: ReplicaLeaseOptions) {}

  get current(): Term | undefined {
    return this.term?.holds() ? this.term : undefined;
  }

  start(): void {
    this.beating = this.beat();
  }

  /** A write was refused because the term is over: begins another at once. */
  lost(term: Term): void {
    if (this.term !== term) return;
    this.end();
    this.beatSoon(0);
  }

  /** Removes the replica, so that others need not wait for its end. Harmless when repeated. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.beating;
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

  /** Another replica has left: its work is free. */
  wake(): void {
    this.beatSoon(0);
  }

  private beatSoon(delayMs: number): void {
    if (this.stopped) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.beating = this.beating.then(() => this.beat());
    }, delayMs);
  }

  private async beat(): Promise<void> {
    const { database, onBeat, onError, ttlMs } = this.options;
    if (this.stopped) return;
    try {
      if (this.term?.holds()) await this.renew(this.term);
      if (!this.term?.holds()) await this.begin();
      const { length } = await database.query(
        'DELETE FROM replica WHERE expires_at < clock_timestamp() RETURNING fencing_token',
      );
      if (this.term?.holds()) await onBeat(this.term, length);
    } catch (error) {
      onError(error);
    }
    this.beatSoon(ttlMs / BEATS_PER_TTL);
  }

  private async begin(): Promise<void> {
    const { database, name, ttlMs, onStart } = this.options;
    this.end();
    const from = performance.now();
    const token = await database.transaction(async (session) => {
      await session.query('DELETE FROM replica WHERE name = $1', [name]);
      const [row] = await session.query<{ fencing_token: number }>(
        `INSERT INTO replica (name, expires_at) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
         RETURNING fencing_token`,
        [name, ttlMs / 1000],
      );
      return row?.fencing_token ?? NaN;
    });
    const term = new RunningTerm(token, () => this.lost(term));
    term.extend(from, ttlMs);
    this.term = term;
    onStart(term);
  }

  private async renew(term: RunningTerm): Promise<void> {
    const { database, ttlMs } = this.options;
    // The database counts from later on, so others never take over before this replica gives up.
    const from = performance.now();
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
    return !this.ended.aborted && performance.now() < this.until;
  }

  /** @param from when the request was sent that the database granted, on this process's monotonic clock */
  extend(from: number, ttlMs: number): void {
    if (this.ended.aborted) return;
    this.until = from + ttlMs * (1 - SAFETY_SHARE);
    clearTimeout(this.timer);
    this.timer = setTimeout(this.onExpiry, Math.max(0, this.until - performance.now()));
  }

  end(): void {
    clearTimeout(this.timer);
    this.controller.abort();
  }
}
