import type { Occurrences } from '@ssb/faults';
import type { Database, SqlSession } from '@ssb/postgres';
import { classifyStorageFailure } from '../database/domain/storage-failure.js';
import { assertReader, type ReaderToken } from '../replica/reader-lease.js';
import type { DecidedEntry } from './archive-entries.js';
import { advanceIdentities, type AdvancedIdentity } from './identities.js';

export interface ReaderTransactionsOptions {
  readonly faults: TransactionFaults;
  /** Called with the events that `faults` stored, after the commit. */
  readonly onFaultsStored: (events: readonly DecidedEntry[]) => void;
  /** Called when identity sequences were behind, before the write is repeated. */
  readonly onIdentitiesAdvanced: (advanced: readonly AdvancedIdentity[]) => void;
}

/** Reports faults of the subscriber together with their cause. */
interface TransactionFaults {
  /** Counts occurrences, and stores the events that are due, in the caller's transaction. */
  raiseWithin(
    session: SqlSession,
    occurrences: readonly Occurrences[],
    now: Date,
  ): Promise<readonly DecidedEntry[]>;
}

/** What a transaction did, and the faults to store with it. */
interface TransactionResult<T> {
  readonly results: T;
  readonly occurrences: readonly Occurrences[];
}

/** Transactions of the replica that reads the channels. */
export class ReaderTransactions {
  constructor(
    private readonly database: Database,
    private readonly options: ReaderTransactionsOptions,
  ) {}

  /**
   * Runs work of the reader in one transaction, with the faults that it finds. The caller repeats a transaction that failed because of an
   * identity sequence.
   * @throws LeaseLostError when another replica reads the channels; after any error nothing was written
   */
  async run<T>(
    reader: ReaderToken,
    now: Date,
    work: (session: SqlSession) => Promise<TransactionResult<T>>,
  ): Promise<T> {
    try {
      const { results, stored } = await this.database.transaction(async (session) => {
        await assertReader(session, reader);
        const { results, occurrences } = await work(session);
        const { faults } = this.options;
        return {
          results,
          stored: occurrences.length === 0 ? [] : await faults.raiseWithin(session, occurrences, now),
        };
      });
      this.options.onFaultsStored(stored);
      return results;
    } catch (error) {
      if (classifyStorageFailure(error) === 'identity') await this.advanceIdentities();
      throw error;
    }
  }

  /** Advances identity sequences that are behind the rows of their tables. */
  async advanceIdentities(): Promise<void> {
    const advanced = await advanceIdentities(this.database);
    if (advanced.length > 0) this.options.onIdentitiesAdvanced(advanced);
  }
}
