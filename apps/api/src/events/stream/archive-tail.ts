import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@ssb/platform';
import { Database, type StopListening } from '@ssb/postgres';

/** The subscriber notifies this channel of the database at each commit of archived events. */
const ARCHIVED_CHANNEL = 'deliveries';
/** Notifications can be lost with their connection. */
const POLL_INTERVAL_MS = 5_000;
/** Notifications within this time cause one read. */
const MIN_INTERVAL_MS = 100;
const MIN_WRITER_POLL_MS = 20;
const MAX_WRITER_POLL_MS = 1_000;
/** A transaction that writes to the archive takes milliseconds. */
const WARN_AFTER_MS = 5_000;
const WARN_INTERVAL_MS = 60_000;

/**
 * The end of the archive. Transactions can commit in another order than they take their offsets, so an offset counts once every transaction that
 * may hold a smaller one has ended.
 */
@Injectable()
export class ArchiveTail {
  private readonly waiting = new Set<() => void>();
  private offset = 0;
  private followers = 0;
  private warnedAt = -Infinity;
  private running: Promise<void> | undefined;
  private ending = new AbortController();
  private wake = (): void => undefined;

  constructor(
    private readonly database: Database,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** No event with this offset or a smaller one is archived any more. Only while it is followed. */
  get completeUpTo(): number {
    return this.offset;
  }

  /**
   * Follows the archive until the returned function is called.
   * @param signal ends the wait for transactions that write to the archive
   * @throws DatabaseUnavailableError; an AbortError after the signal
   */
  async follow(signal: AbortSignal): Promise<() => void> {
    this.followers += 1;
    const stop = (): void => {
      this.followers -= 1;
      if (this.followers === 0) this.ending.abort();
    };
    try {
      // A tail that nobody follows is out of date.
      await this.advance(signal);
    } catch (error) {
      stop();
      throw error;
    }
    this.start();
    return stop;
  }

  /** Resolves at the next advance, or when the signal is aborted. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }

  private start(): void {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
      if (this.followers > 0) this.start();
    });
  }

  private async run(): Promise<void> {
    let stopListening: StopListening | undefined;
    while (this.followers > 0) {
      const { signal } = (this.ending = new AbortController());
      const woken = this.nextWake(signal);
      try {
        stopListening ??= await this.listen();
        await this.advance(signal);
      } catch (err) {
        if (!signal.aborted) this.log.warn({ err }, 'archive tail not read');
      }
      await woken;
      await pause(MIN_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
    await stopListening?.();
  }

  private listen(): Promise<StopListening> {
    const received = (): void => this.wake();
    return this.database.listen(ARCHIVED_CHANNEL, { received, lost: () => undefined, regained: received });
  }

  /** Resolves at a notification, after the interval of polls, or when the signal is aborted. */
  private async nextWake(end: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.wake = () => woken.abort();
    const signal = AbortSignal.any([end, woken.signal]);
    await pause(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }

  /** An offset is taken by a transaction that has locked the table, so the writers of this moment hold every smaller one that is missing. */
  private async advance(signal: AbortSignal): Promise<void> {
    const [row] = await this.database.query<{ newest: number | null }>(
      'SELECT max(archive_offset) AS newest FROM archive',
    );
    const newest = row?.newest ?? 0;
    if (newest <= this.offset) return;
    let writers = await this.listWriters();
    const since = performance.now();
    for (
      let waitMs = MIN_WRITER_POLL_MS;
      writers.length > 0;
      waitMs = Math.min(2 * waitMs, MAX_WRITER_POLL_MS)
    ) {
      await pause(waitMs, undefined, { signal });
      const present = new Set(await this.listWriters());
      writers = writers.filter((writer) => present.has(writer));
      this.warnOfLongWait(since, writers.length);
    }
    this.offset = Math.max(this.offset, newest);
    for (const resolve of this.waiting) resolve();
  }

  private warnOfLongWait(since: number, transactions: number): void {
    const now = performance.now();
    if (transactions === 0 || now - since < WARN_AFTER_MS || now - this.warnedAt < WARN_INTERVAL_MS) return;
    this.warnedAt = now;
    this.log.warn(
      { waitMs: Math.round(now - since), count: transactions },
      'archive tail waits for transactions',
    );
  }

  /** Transactions that may have written to the archive. */
  private async listWriters(): Promise<readonly string[]> {
    const rows = await this.database.query<{ writer: string }>(
      `SELECT DISTINCT virtualtransaction AS writer FROM pg_locks
       WHERE locktype = 'relation' AND relation = 'archive'::regclass AND mode = 'RowExclusiveLock' AND granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return rows.map(({ writer }) => writer);
  }
}
