import { DatabaseUnavailableError, type SqlSession } from '@ssb/postgres';
import { advanceIdentities } from '../archive/identities.js';
import { classifyStorageFailure } from '../database/domain/storage-failure.js';
import { isPermanentRefusal, OperationStoppedError, retryDatabase } from '../database/retry-database.js';
import { LeaseLostError } from '../replica/reader-lease.js';
import type { Term } from '../replica/running-term.js';
import type { OpenRequest, RequestResult } from './request.js';
import type { RequestStore } from './request-store.js';

export type OnRequestStorageFailure = (error: unknown, attempt: number, waitMs: number) => void;

/** Retries of a statement that a reachable database refuses, such as after a deadlock. */
const MAX_RETRIES = 5;

/** One request while this replica carries it out. */
export class RequestRun {
  constructor(
    private readonly store: RequestStore,
    readonly requestId: number,
    readonly term: Term,
    /** Aborted when the term ends or the replica stops. The work then throws, and another replica continues it. */
    readonly signal: AbortSignal,
    private readonly onFailure: OnRequestStorageFailure,
  ) {}

  /**
   * Stores what is done so far, in the transaction of the work itself.
   * @throws LeaseLostError when another replica may have claimed the request; nothing of the transaction may be kept
   */
  async saveProgress(session: SqlSession, progress: object): Promise<void> {
    await this.store.assertClaim(session, this.term.token, this.requestId);
    await this.store.saveProgress(session, this.requestId, progress);
  }

  readProgress(): Promise<OpenRequest['progress']> {
    return this.store.readProgress(this.requestId);
  }

  /** Records the end of the request. */
  finish(result: RequestResult): Promise<RequestResult> {
    return this.finishWithin(() => Promise.resolve(result));
  }

  /** Runs `work` and records its result as the end of the request, in one transaction. */
  finishWithin(work: (session: SqlSession) => Promise<RequestResult>): Promise<RequestResult> {
    const { store, requestId } = this;
    return this.retry(async () => {
      try {
        return await store.database.transaction(async (session) => {
          await store.assertClaim(session, this.term.token, requestId);
          const result = await work(session);
          await store.finish(session, requestId, result);
          return result;
        });
      } catch (error) {
        // An earlier attempt may have been committed although its response was lost.
        const ended = error instanceof LeaseLostError ? await store.findResult(requestId) : undefined;
        if (ended === undefined) throw error;
        return ended;
      }
    });
  }

  /**
   * Repeats the operation while the database is unavailable.
   * @throws LeaseLostError, OperationStoppedError: another replica continues the request
   */
  async retry<T>(operation: () => Promise<T>): Promise<T> {
    if (this.signal.aborted) throw new OperationStoppedError(0, this.signal.reason);
    let refusals = 0;
    const isFinal = (error: unknown): boolean => {
      if (error instanceof DatabaseUnavailableError) return false;
      refusals += 1;
      return !hasSqlState(error) || isPermanentRefusal(error) || refusals > MAX_RETRIES;
    };
    const attempt = (): Promise<T> =>
      operation().catch(async (error: unknown) => {
        // The next attempt stores the row of the audit table.
        if (classifyStorageFailure(error) === 'identity') await advanceIdentities(this.store.database);
        throw error;
      });
    return retryDatabase(attempt, this.signal, this.onFailure, isFinal);
  }
}

const hasSqlState = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code));
