import type { Database, SqlSession } from '@ssb/postgres';
import type { Occurrences } from '@ssb/faults';
import {
  quarantineFaults,
  QUARANTINE_FULL,
  unarchivedFaults,
} from '../quarantine/domain/quarantine-faults.js';
import { classifyStorageFailure } from '../database/domain/storage-failure.js';
import { assertReader, type ReaderToken } from '../replica/reader-lease.js';
import type { ArchiveEntry, RecordResult, RejectedEntry, VerifiedEntry } from './archive-entries.js';
import { archiveEvents, type ArchivedBatch, type ArchiveEventsOptions } from './archive-events.js';
import { advanceIdentities, type AdvancedIdentity } from './identities.js';
import { insertQuarantine } from '../quarantine/insert-quarantine.js';
import { findReplays } from './known-events.js';
import { REPEATED_EVENT, toQuarantinedResult, toReplayed, withoutRepeats } from './record-results.js';

/** Reports faults of the subscriber together with their cause. */
export interface TransactionFaults {
  /** Counts occurrences, and stores the events that are due, in the caller's transaction. */
  raiseWithin(
    session: SqlSession,
    occurrences: readonly Occurrences[],
    now: Date,
  ): Promise<readonly VerifiedEntry[]>;
}

export interface ArchiveOptions extends ArchiveEventsOptions {
  readonly faults: TransactionFaults;
  /** Called with the events that `faults` stored, after the commit. */
  readonly onFaultsStored: (events: readonly VerifiedEntry[]) => void;
  /** Called when identity sequences were behind, before the write is repeated. */
  readonly onIdentitiesAdvanced: (advanced: readonly AdvancedIdentity[]) => void;
  /** Limit of the payloads of open messages in the quarantine. */
  readonly quarantineMaxBytes: number;
}

/** What a transaction did, and the faults to store with it. */
interface TransactionResult<T> {
  readonly results: T;
  readonly occurrences: readonly Occurrences[];
}

/** Inbox, archive, outbox and quarantine. The number of statements is independent of the size of a batch. */
export class Archive {
  constructor(
    private readonly database: Database,
    private readonly options: ArchiveOptions,
  ) {}

  /**
   * Records a batch in one transaction: verified entries in inbox, archive and outbox, rejected ones in quarantine, with their
   * faults. A repeat, whose event, document version or message was stored before, writes nothing.
   * @param reader checked in the same transaction
   * @returns one result per entry, in the same order
   * @throws LeaseLostError when another replica reads the channels; after any error nothing was written
   */
  async recordEntries(
    entries: readonly ArchiveEntry[],
    now: Date,
    reader: ReaderToken,
  ): Promise<RecordResult[]> {
    const results = await this.transact(reader, now, async (session) => {
      const verified = withoutRepeats(entries);
      const replays = await findReplays(session, verified);
      const candidates = verified.filter((entry) => !replays.has(entry));
      const archived = await this.archiveEvents(session, candidates, now);
      const sources = new Map<RejectedEntry, ArchiveEntry>();
      for (const entry of entries) {
        if (entry.kind === 'rejected') sources.set(entry, entry);
        else if (replays.has(entry)) sources.set(toReplayed(entry), entry);
      }
      for (const [entry, rejection] of archived.taken) sources.set(rejection, entry);
      const { written, occurrences } = await this.quarantine(session, [...sources.keys()], now);
      const quarantined = written.map(
        (rejection) => [sources.get(rejection), toQuarantinedResult(rejection)] as const,
      );
      return {
        results: new Map<ArchiveEntry | undefined, RecordResult>([...archived.results, ...quarantined]),
        occurrences: [...occurrences, ...unarchivedFaults(archived.unarchived)],
      };
    });
    return entries.map((entry) => results.get(entry) ?? REPEATED_EVENT);
  }

  /**
   * Runs work of the reader in one transaction, with the faults that it finds. The caller repeats a transaction that failed because of an identity sequence.
   * @throws LeaseLostError when another replica reads the channels; after any error nothing was written
   */
  async transact<T>(
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

  /** @param quarantinedAt of entries that are released from the quarantine */
  archiveEvents(
    session: SqlSession,
    entries: readonly VerifiedEntry[],
    now: Date,
    quarantinedAt?: ReadonlyMap<VerifiedEntry, Date>,
  ): Promise<ArchivedBatch> {
    return archiveEvents(session, entries, now, this.options, quarantinedAt);
  }

  /** Advances identity sequences that are behind the rows of their tables. */
  async advanceIdentities(): Promise<void> {
    const advanced = await advanceIdentities(this.database);
    if (advanced.length > 0) this.options.onIdentitiesAdvanced(advanced);
  }

  private async quarantine(
    session: SqlSession,
    entries: readonly RejectedEntry[],
    now: Date,
  ): Promise<{ written: readonly RejectedEntry[]; occurrences: readonly Occurrences[] }> {
    const { quarantineMaxBytes } = this.options;
    const { written, isFull } = await insertQuarantine(session, entries, now, quarantineMaxBytes);
    const occurrences: Occurrences[] = quarantineFaults(written);
    if (isFull) {
      const detail = `a message was stored without its payload; QUARANTINE_MAX_BYTES is ${quarantineMaxBytes}, unknown senders may use half of it`;
      occurrences.push({ topic: QUARANTINE_FULL, count: 1, detail });
    }
    return { written, occurrences };
  }
}
