import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Database, SqlSession } from '@ssb/postgres';
import type { AlertPolicy } from '../archive/alert-policy.js';
import { MAX_VERIFIED_PER_TURN } from '../receiver/domain/message-verifier.js';
import type { StoredEvent, StoredVerdict } from '../receiver/domain/verify-stored-event.js';
import {
  countRows,
  readAppliedEvents,
  readPage,
  readRequests,
  toSignal,
  type ArchivedRow,
} from './archive-pages.js';
import type { ArchivedSignal } from './domain/decide-transition.js';
import type { ArchiveOffset } from './domain/problem.js';
import { StaleEvents } from './domain/stale-events.js';
import { OpenProblemAlerts } from './open-problem-alerts.js';
import { applySignals } from './apply-events.js';

/*
 * Derives all problems again, in two passes over the archive.
 *
 *   verify   Checks the signatures, without a lock: this takes most of the time. Only the offsets of verified events are kept.
 *   derive   One transaction that locks the table of problems. It verifies what was archived since, deletes the problems, and applies the
 *            events of the archive and the requests again, a page at a time, with the functions that applied them first. Last, it assigns the
 *            alerts of open problems to them: an earlier release added alerts without their problem.
 *
 * Archiving waits for the second pass, about a tenth of a millisecond for each event. An event is archived before its problem is locked, in
 * the same transaction. So it is either visible to the second pass, or applied after it.
 */

export interface RebuildOptions {
  /** Only a verified event counts. */
  readonly verify: (stored: StoredEvent) => StoredVerdict;
  readonly policy: Pick<AlertPolicy, 'severityOf'>;
  /** Called after each page. It uses a connection of its own. */
  readonly onProgress?: (progress: RebuildProgress) => Promise<void> | void;
  /** Called for each event that does not count, once the problems are stored. */
  readonly onUnverified?: (stored: StoredEvent, detail: string) => void;
  /** Stops between two pages; nothing is then changed. */
  readonly signal?: AbortSignal;
  /** Events of a page. */
  readonly pageSize?: number;
}

export interface RebuildProgress {
  readonly step: 'verify' | 'derive';
  readonly events: number;
  readonly of: number;
}

export interface RebuildResult {
  readonly events: number;
  /** Events that did not count. */
  readonly unverified: number;
  readonly problems: number;
}

const PAGE_SIZE = 1_000;
/** Offsets of verified events in memory. Events beyond it are verified in the second pass. */
const MAX_VERIFIED = 1_000_000;
/** Reports of events that failed verification. All of them are counted. */
const MAX_REPORTED = 100;

/** Derives the problems from the archive and from requests. */
export async function rebuildProblems(database: Database, options: RebuildOptions): Promise<RebuildResult> {
  const rebuild = new Rebuild(options, await countRows(database));
  await rebuild.verifyAll(database);
  const result = await database.transaction((session) => rebuild.derive(session));
  rebuild.reportUnverified();
  return result;
}

class Rebuild {
  private readonly verified = new Set<ArchiveOffset>();
  private readonly unverified: { readonly row: ArchivedRow; readonly detail: string }[] = [];
  private readonly stale = new StaleEvents();
  private readonly alerts = new OpenProblemAlerts();
  private events = 0;
  private unverifiedCount = 0;

  constructor(
    private readonly options: RebuildOptions,
    private readonly total: number,
  ) {}

  /** The first pass. */
  async verifyAll(session: SqlSession): Promise<void> {
    let events = 0;
    for await (const page of this.readPages(session)) {
      for (const [at, row] of page.entries()) {
        if (at % MAX_VERIFIED_PER_TURN === 0) await yieldToEventLoop();
        if (this.verified.size < MAX_VERIFIED && this.options.verify(row).ok)
          this.verified.add(row.archiveOffset);
      }
      events += page.length;
      await this.options.onProgress?.({ step: 'verify', events, of: Math.max(events, this.total) });
    }
  }

  /** The second pass. */
  async derive(session: SqlSession): Promise<RebuildResult> {
    await session.query('LOCK TABLE problem IN EXCLUSIVE MODE');
    await session.query(DELETE_PROBLEMS);
    const kept = await readAppliedEvents(session);
    for await (const page of this.readPages(session)) {
      await this.applyPage(session, page, kept);
      const { events, total } = this;
      await this.options.onProgress?.({ step: 'derive', events, of: Math.max(events, total) });
    }
    await this.alerts.assign(session);
    const [row] = await session.query<{ problems: number }>('SELECT count(*) AS problems FROM problem');
    return { events: this.events, unverified: this.unverifiedCount, problems: row?.problems ?? 0 };
  }

  /** A report is written to the database, so it must not wait for the transaction. */
  reportUnverified(): void {
    for (const { row, detail } of this.unverified) this.options.onUnverified?.(row, detail);
  }

  private async *readPages(session: SqlSession): AsyncGenerator<readonly ArchivedRow[]> {
    const { pageSize = PAGE_SIZE, signal } = this.options;
    let after: ArchiveOffset = 0;
    for (;;) {
      signal?.throwIfAborted();
      const page = await readPage(session, after, pageSize);
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      after = last.archiveOffset;
    }
  }

  /** @param kept events of problems that are kept as they are */
  private async applyPage(
    session: SqlSession,
    page: readonly ArchivedRow[],
    kept: ReadonlySet<string>,
  ): Promise<void> {
    this.events += page.length;
    const signals = page.flatMap((row): ArchivedSignal[] => {
      if (!this.counts(row)) return [];
      const signal = toSignal(row, this.stale, this.options.policy);
      return signal === undefined || kept.has(row.eventId) ? [] : [signal];
    });
    const requests = await readRequests(
      session,
      signals.map(({ archiveOffset }) => archiveOffset),
    );
    await applySignals(session, signals, (batch) => {
      for (const signal of signals) {
        const effect = batch.apply(signal);
        if (effect !== undefined) this.alerts.add(signal.eventId, effect);
        const offset = String(signal.archiveOffset);
        for (const request of requests) {
          if (request.archiveOffset !== offset || request.problemId !== effect?.problemId) continue;
          batch.request(batch.find(signal.signal), request);
          if (request.kind === 'close') this.alerts.remove(request.problemId);
        }
      }
    });
  }

  /** Whether the event is verified. The run role cannot change a row that was verified before. */
  private counts(row: ArchivedRow): boolean {
    if (this.verified.has(row.archiveOffset)) return true;
    const verdict = this.options.verify(row);
    if (verdict.ok) return true;
    this.unverifiedCount += 1;
    if (this.unverified.length < MAX_REPORTED) this.unverified.push({ row, detail: verdict.detail });
    return false;
  }
}

/**
 * An ended problem whose events or requests were deleted by the owner of the tables is kept: it cannot be derived again. The run role can
 * neither delete them nor record that they were deleted.
 */
const DELETE_PROBLEMS = `DELETE FROM problem WHERE ended_at IS NULL OR NOT EXISTS (
  SELECT FROM problem_change AS change
    LEFT JOIN deleted_event ON deleted_event.event_id = change.event_id AND deleted_event.type <> 'settlementbus.bridge.heartbeat.v1'
  WHERE change.problem_id = problem.problem_id
    AND (deleted_event.event_id IS NOT NULL
      OR change.request_id IS NOT NULL
        AND NOT EXISTS (SELECT FROM request WHERE request.request_id = change.request_id)
        AND EXISTS (SELECT FROM audit WHERE audit.request_id = change.request_id)))`;
