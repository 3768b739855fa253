import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Logger } from '@ssb/platform';
import { joinMarks } from '../domain/marks.js';
import { classifyStorageFailure } from '../database/domain/storage-failure.js';
import { hasRoom } from './domain/quarantine-storage.js';
import { MAX_VERIFIED_PER_TURN, type MessageVerifier } from '../receiver/domain/message-verifier.js';
import { LeaseLostError, type ReaderToken } from '../replica/reader-lease.js';
import { ResultLog } from '../receiver/result-log.js';
import type { Archive } from '../archive/archive.js';
import type { RequestOutcome } from '../requests/request.js';
import {
  RECHECK_KIND,
  type OpenMessage,
  type RecheckProgress,
  type RecheckRequest,
  type RecheckStore,
} from './recheck-store.js';
import { releaseEntries, type ReleasableEntry } from './release-entries.js';
import {
  describeDatabaseError,
  isPermanentRefusal,
  OperationStoppedError,
  retryDatabase,
} from '../database/retry-database.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';

export interface RecheckDependencies {
  /** With it the database checks that this replica reads the channels. */
  readonly token: ReaderToken;
  readonly verifier: MessageVerifier;
  readonly store: RecheckStore;
  readonly archive: Archive;
  readonly now: () => Date;
  readonly dispatcher: { wake(): void };
  /** Limit of the quarantine, bytes. */
  readonly maxBytes: number;
  /** Called after each check while the quarantine has room. */
  readonly onRoom: () => Promise<void>;
  readonly onLeaseLost: () => void;
  readonly metrics: SubscriberMetrics;
  readonly log: Logger;
}

/**
 * Evaluates quarantined messages again while this replica reads the channels: at the start when the configuration or the release has changed,
 * and on request. Messages that pass are archived and alerted, marked `late`. It runs beside the normal reading.
 */
export class QuarantineRecheck {
  private readonly stopping = new AbortController();
  private readonly resultLog: ResultLog;
  private running: Promise<void> | undefined;
  private wakePending = false;
  /** A recheck failed for good; only a request starts another one. */
  private hasFailed = false;

  constructor(private readonly dependencies: RecheckDependencies) {
    this.resultLog = new ResultLog(dependencies.metrics, dependencies.log);
  }

  /** Checks for requests and for a changed configuration. Call it at the start and when a request may have arrived. */
  wake(): void {
    this.wakePending = true;
    this.running ??= this.run().finally(() => {
      this.running = undefined;
      // A wake after the last check must not be lost.
      if (this.wakePending && !this.stopping.signal.aborted) this.wake();
    });
  }

  /** Ends after the current transaction. The next reader repeats what is left. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    try {
      while (this.wakePending && !this.stopping.signal.aborted) {
        this.wakePending = false;
        await this.checkOnce();
      }
    } catch (error) {
      if (error instanceof LeaseLostError) this.dependencies.onLeaseLost();
      else if (!(error instanceof OperationStoppedError)) throw error;
    }
  }

  private async checkOnce(): Promise<void> {
    const { store, verifier, maxBytes, onRoom, log } = this.dependencies;
    const { requests, use, ...state } = await this.retry(() => store.readState());
    if (hasRoom(use, maxBytes)) await this.retry(onRoom);
    const isDone = this.hasFailed || state.fingerprint === verifier.fingerprint;
    if (requests.length === 0 && isDone) return;
    try {
      await this.recheck(requests);
    } catch (err) {
      if (err instanceof LeaseLostError || err instanceof OperationStoppedError) throw err;
      // A request that always fails must not be repeated indefinitely.
      this.hasFailed = true;
      log.error({ err }, 'quarantine recheck failed');
      await this.retry(() => store.fail(requests, describeFailure(describeDatabaseError(err))));
      this.reportEnd(requests, 'failed');
    }
  }

  private async recheck(requests: readonly RecheckRequest[]): Promise<void> {
    const { store, verifier, token, log } = this.dependencies;
    await this.attempt(() => store.claim(requests, token));
    const open = await this.attempt(() => store.countOpen());
    const last = await this.attempt(() => store.lastOffset());
    const progress = { evaluated: 0, released: 0 };
    let failure: string | undefined;
    for (let after = 0n; after < last && !this.stopping.signal.aborted;) {
      const from = after;
      const page = await this.attempt(() => store.listOpen(from, last));
      progress.evaluated += page.length;
      let refusal: unknown;
      let messages = 0;
      progress.released += await this.release(await this.verify(page), (err, count) => {
        refusal = err;
        messages += count;
      });
      if (messages > 0) {
        log.error({ err: refusal, messages }, 'quarantine release refused');
        failure = describeFailure(
          `the database refuses messages that pass: ${describeDatabaseError(refusal)}`,
        );
      }
      await this.attempt(() => store.recordProgress(requests, progress, open));
      after = page.at(-1)?.offset ?? last;
    }
    if (this.stopping.signal.aborted) return;
    await this.attempt(() => store.complete(requests, verifier.fingerprint, token, failure));
    logResult(log, progress, requests.length);
    this.reportEnd(requests, failure === undefined ? 'done' : 'failed');
  }

  private reportEnd(requests: readonly RecheckRequest[], outcome: RequestOutcome): void {
    const { metrics, log } = this.dependencies;
    for (const { id: requestId, author } of requests) {
      metrics.requests.inc({ kind: RECHECK_KIND, outcome });
      log.info({ kind: RECHECK_KIND, requestId, author, outcome }, 'request carried out');
    }
  }

  /**
   * Releases messages that pass. Those that the database refuses stay in the quarantine; they are halved until each of them is found, so that
   * the others do not wait for them.
   * @returns the number of released messages
   */
  private async release(
    passing: readonly ReleasableEntry[],
    onRefused: (error: unknown, messages: number) => void,
  ): Promise<number> {
    if (passing.length === 0) return 0;
    try {
      return await this.releaseBatch(passing);
    } catch (error) {
      if (!isPermanentRefusal(error)) throw error;
      if (passing.length === 1 || classifyStorageFailure(error) !== 'message') {
        onRefused(error, passing.length);
        return 0;
      }
      const middle = Math.ceil(passing.length / 2);
      const released = await this.release(passing.slice(0, middle), onRefused);
      return released + (await this.release(passing.slice(middle), onRefused));
    }
  }

  private async releaseBatch(passing: readonly ReleasableEntry[]): Promise<number> {
    const { archive, now, token, dispatcher, metrics } = this.dependencies;
    const verifiedAt = new Date();
    const results = await this.attempt(() => releaseEntries(archive, passing, now(), token));
    dispatcher.wake();
    passing.forEach(({ entry }, at) => {
      const result = results[at];
      if (result?.kind === 'archived') this.resultLog.recordArchived(entry, result, verifiedAt);
    });
    const released = results.filter(({ kind }) => kind !== 'quarantined').length;
    metrics.quarantineReleased.inc(released);
    return released;
  }

  private async verify(page: readonly OpenMessage[]): Promise<ReleasableEntry[]> {
    const passing: ReleasableEntry[] = [];
    for (const [at, { offset, quarantinedAt, message }] of page.entries()) {
      const entry = this.dependencies.verifier.verify(message);
      if (entry.kind === 'verified')
        passing.push({
          offset,
          quarantinedAt,
          entry: { ...entry, marks: joinMarks(entry.marks, ['late']) },
        });
      if (at % MAX_VERIFIED_PER_TURN === MAX_VERIFIED_PER_TURN - 1) await yieldToEventLoop();
    }
    return passing;
  }

  /** Like `retry`, but throws when the database refuses the operation permanently. */
  private attempt<T>(operation: () => Promise<T>): Promise<T> {
    return this.retry(operation, isPermanentRefusal);
  }

  private retry<T>(operation: () => Promise<T>, isFinal?: (error: unknown) => boolean): Promise<T> {
    const { metrics, log } = this.dependencies;
    const onFailure = (err: unknown, attempt: number, waitMs: number): void => {
      metrics.storageFailures.inc();
      log.error({ err, attempt, waitMs }, 'quarantine access failed');
    };
    return retryDatabase(operation, this.stopping.signal, onFailure, isFinal);
  }
}

const describeFailure = (failure: string): string =>
  `The recheck failed: ${failure}. Correct the cause, then request it again.`;

function logResult(log: Logger, { evaluated, released }: RecheckProgress, requests: number): void {
  log.info({ evaluated, released, requests }, 'quarantine rechecked');
}
