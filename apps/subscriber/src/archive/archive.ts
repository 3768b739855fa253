import type { Database, SqlSession } from '@ssb/postgres';
import { insertDeliveries } from '../deliveries/outbox/delivery-outbox.js';
import { DELIVERIES_CHANNEL } from '../deliveries/outbox/pending-delivery.js';
import { withdrawSuperseded } from '../deliveries/outbox/withdraw-superseded.js';
import { recordHeartbeats } from '../heartbeats/heartbeat-table.js';
import { unarchivedFaults } from '../quarantine/domain/quarantine-faults.js';
import { quarantineEntries } from '../quarantine/quarantine-entries.js';
import type { StoredEvent, StoredVerdict } from '../receiver/domain/verify-stored-event.js';
import type { OpenSilences } from '../silences/open-silences.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import type {
  ArchivedResult,
  ArchiveEntry,
  RecordResult,
  RejectedEntry,
  RepeatResult,
  VerifiedEntry,
} from './archive-entries.js';
import type { AlertPolicy } from './alert-policy.js';
import { decideTimings, findNewestStates, type DecisionOptions } from './decide-timings.js';
import { findNewEvents, findReplays, raiseHighestSequences, type NewEvents } from './find-new-events.js';
import { insertArchive } from './insert-archive.js';
import { applyEvents } from '../problems/apply-events.js';
import { planDeliveries } from './plan-deliveries.js';
import { ReaderTransactions, type ReaderTransactionsOptions } from './reader-transactions.js';
import { REPEATED_EVENT, toReplayed, withoutRepeats } from './record-results.js';

export interface ArchiveOptions
  extends Omit<DecisionOptions, 'newest' | 'quarantinedAt'>, ReaderTransactionsOptions {
  /** Verifies an archived event whose text differs from that of its repeat. */
  readonly verifyStored: (stored: StoredEvent) => StoredVerdict;
  /** Of CONFIG_FILE. */
  readonly alertPolicy: () => AlertPolicy;
  readonly silences: Pick<OpenSilences, 'readActive'>;
  /** How long the delivery of a present state waits for a newer event of its subject. */
  readonly holdMs: number;
  /** Limit of the payloads of open messages in the quarantine. */
  readonly quarantineMaxBytes: number;
}

/** The results of verified entries. A repeat of an archived event has no result. */
interface ArchivedBatch extends Pick<NewEvents, 'unarchived' | 'idConflicts'> {
  readonly results: ReadonlyMap<VerifiedEntry, ArchivedResult | RepeatResult>;
}

/** Inbox, archive, outbox and quarantine. The number of statements is independent of the size of a batch. */
export class Archive {
  readonly transactions: ReaderTransactions;

  constructor(
    database: Database,
    private readonly options: ArchiveOptions,
  ) {
    this.transactions = new ReaderTransactions(database, options);
  }

  /**
   * Records a batch in one transaction: verified entries in inbox, archive and outbox, rejected ones in quarantine, with their
   * faults. A repeat, whose event, document version or message was stored before, writes nothing.
   * @param reader the lease that the same transaction checks
   * @returns one result per entry, in the same order
   * @throws LeaseLostError when another replica reads the channels; after any error nothing was written
   */
  async recordEntries(
    entries: readonly ArchiveEntry[],
    now: Date,
    reader: ReaderToken,
  ): Promise<RecordResult[]> {
    const results = await this.transactions.run(reader, now, async (session) => {
      const verified = withoutRepeats(entries);
      const replays = await findReplays(session, verified);
      const candidates = verified.filter((entry) => !replays.has(entry));
      const { results, unarchived, idConflicts } = await this.archiveEvents(session, candidates, now);
      const rejections = entries.flatMap((entry): [ArchiveEntry, RejectedEntry][] => {
        if (entry.kind === 'rejected') return [[entry, entry]];
        const rejection = replays.has(entry) ? toReplayed(entry) : idConflicts.get(entry);
        return rejection ? [[entry, rejection]] : [];
      });
      const { quarantineMaxBytes } = this.options;
      const quarantined = await quarantineEntries(session, rejections, now, quarantineMaxBytes);
      return {
        results: new Map<ArchiveEntry, RecordResult>([...results, ...quarantined.results]),
        occurrences: [...quarantined.occurrences, ...unarchivedFaults(unarchived)],
      };
    });
    return entries.map((entry) => results.get(entry) ?? REPEATED_EVENT);
  }

  /**
   * Archives the entries whose events are new, and adds their deliveries. A held delivery that a newer state of its subject supersedes is
   * withdrawn.
   * @param quarantinedAt of entries that are released from the quarantine
   */
  async archiveEvents(
    session: SqlSession,
    entries: readonly VerifiedEntry[],
    now: Date,
    quarantinedAt: ReadonlyMap<VerifiedEntry, Date> = new Map(),
  ): Promise<ArchivedBatch> {
    const { verifyStored, alertPolicy, silences, holdMs } = this.options;
    const found = await findNewEvents(session, entries, now, verifyStored);
    const { newEntries, repeats, unarchived, idConflicts } = found;
    if (newEntries.length === 0) return { results: repeats, unarchived, idConflicts };
    const { newest, highest } = await findNewestStates(session, newEntries);
    const timed = await decideTimings(session, newEntries, now, {
      ...this.options,
      newest,
      quarantinedAt,
    });
    const policy = { ...alertPolicy(), silences: await silences.readActive(session) };
    const offsets = await insertArchive(session, timed, policy, now);
    await recordHeartbeats(session, newEntries, now);
    await raiseHighestSequences(session, newEntries);
    const { effects, handled } = await applyEvents(session, timed, { offsets, highest, policy, now });
    const alerting = timed.map((each) =>
      handled.has(each.entry) ? { ...each, timing: 'none' as const } : each,
    );
    const decided = await planDeliveries(session, alerting, effects, policy, now);
    await insertDeliveries(session, decided, holdMs);
    const superseding = decided.filter(({ entry }) => newest.has(entry));
    await withdrawSuperseded(session, superseding, holdMs);
    await session.notify(DELIVERIES_CHANNEL, '');
    const results = new Map<VerifiedEntry, ArchivedResult | RepeatResult>(repeats);
    for (const { entry, ...decision } of decided) results.set(entry, { kind: 'archived', ...decision });
    return { results, unarchived, idConflicts };
  }
}
