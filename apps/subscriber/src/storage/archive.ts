import { isBridgeAlert, announcesState } from '@ssb/events';
import type { Database, SqlSession } from '@ssb/postgres';
import type { Occurrences } from '@ssb/faults';
import { backlogBefore, decideDelivery, findNewest, isPastOfBackfill } from '../domain/backlog.js';
import { factTime, isLate } from '../domain/fact-time.js';
import { joinMarks } from '../domain/marks.js';
import { quarantineAlerts, QUARANTINE_FULL, unarchivedAlerts } from '../domain/quarantine-alerts.js';
import { classifyStorageFailure } from '../domain/storage-failure.js';
import type { StoredEvent, StoredVerdict } from '../domain/verify-stored-event.js';
import { recordHeartbeats } from '../heartbeats/heartbeat-table.js';
import { assertReader, type ReaderToken } from '../replica/reader-lease.js';
import {
  type ArchivedResult,
  type ArchiveEntry,
  type RecordResult,
  type RejectedEntry,
  type RepeatResult,
  type VerifiedEntry,
} from './archive-entries.js';
import { findRestatedRepeats } from './document-versions.js';
import { examineRepeats, type ExaminedRepeats } from './examine-repeats.js';
import { advanceIdentities, type AdvancedIdentity } from './identities.js';
import { insertAlerts, withdrawSuperseded, type DecidedEntry } from './insert-alerts.js';
import { insertArchive } from './insert-archive.js';
import { insertQuarantine } from './insert-quarantine.js';
import { findReplays, insertInbox, raiseHighestSequences, readHighestSequences } from './known-events.js';
import {
  REPEATED_EVENT,
  REPEATED_VERSION,
  toQuarantinedResult,
  toReplayed,
  toSequenced,
  withoutRepeats,
} from './record-results.js';
import { recordParticipants, type AlertsSince } from './participants.js';

/** Database channel that notifies every replica of new alerts. */
export const ALERTS_CHANNEL = 'alerts';

/** Stores operational alerts of the subscriber together with their cause. */
export interface TransactionAlerts {
  /** Counts occurrences, and stores the alerts that are due, in the caller's transaction. */
  raiseWithin(
    session: SqlSession,
    occurrences: readonly Occurrences[],
    now: Date,
  ): Promise<readonly VerifiedEntry[]>;
}

export interface ArchiveOptions {
  readonly alerts: TransactionAlerts;
  /** Called with the alerts that `alerts` stored, after the commit. */
  readonly onAlertsStored: (alerts: readonly VerifiedEntry[]) => void;
  /** Called when identity sequences were behind, before the write is repeated. */
  readonly onIdentitiesAdvanced: (advanced: readonly AdvancedIdentity[]) => void;
  /** Verifies an event of the archive that a repeat contradicts. */
  readonly verifyStored: (stored: StoredEvent) => StoredVerdict;
  /** Participants of CONFIG_FILE. */
  readonly participants: () => readonly string[];
  /** From CONFIG_FILE; it takes precedence over the stored times. */
  readonly alertsSince: () => AlertsSince;
  /** A fact that was published longer ago is marked `late`. */
  readonly lateAfterMs: number;
  /** How long the alert of a present state waits for a newer event of its subject. */
  readonly holdMs: number;
  /** Limit of the payloads of open messages in the quarantine. */
  readonly quarantineMaxBytes: number;
}

/** A quarantined message that a later evaluation accepted. */
export interface ReleasableEntry {
  readonly position: bigint;
  readonly quarantinedAt: Date;
  readonly entry: VerifiedEntry;
}

/** What became of verified entries. */
interface ArchivedBatch extends ExaminedRepeats {
  readonly results: ReadonlyMap<VerifiedEntry, ArchivedResult | RepeatResult>;
}

/** Archive, inbox, alert outbox and quarantine. The number of statements is independent of the size of a batch. */
export class Archive {
  constructor(
    private readonly database: Database,
    private readonly options: ArchiveOptions,
  ) {}

  /**
   * Records a batch in one transaction: verified entries in inbox, archive and outbox, rejected ones in quarantine, with their operational
   * alerts. A repeat, whose event, document version or message is already stored, writes nothing.
   * @param reader checked in the same transaction
   * @returns one result per entry, in the same order
   * @throws LeaseLostError when another replica reads the channels; after any error nothing was written
   */
  async recordEntries(
    entries: readonly ArchiveEntry[],
    now: Date,
    reader: ReaderToken,
  ): Promise<RecordResult[]> {
    const { results, alerts } = await this.transaction(async (session) => {
      await assertReader(session, reader);
      const verified = withoutRepeats(entries);
      const replays = await findReplays(session, verified);
      const archived = await this.archiveNew(
        session,
        verified.filter((entry) => !replays.has(entry)),
        now,
        new Map(),
      );
      const sources = new Map<RejectedEntry, ArchiveEntry>();
      for (const entry of entries) {
        if (entry.kind === 'rejected') sources.set(entry, entry);
        else if (replays.has(entry)) sources.set(toReplayed(entry), entry);
      }
      for (const [entry, rejection] of archived.taken) sources.set(rejection, entry);
      const { written, occurrences } = await this.quarantine(session, [...sources.keys()], now);
      const alerts = await this.raise(
        session,
        [...occurrences, ...unarchivedAlerts(archived.unarchived)],
        now,
      );
      const quarantined = written.map(
        (rejection) => [sources.get(rejection), toQuarantinedResult(rejection)] as const,
      );
      const results = new Map<ArchiveEntry | undefined, RecordResult>([...archived.results, ...quarantined]);
      return { results, alerts };
    });
    this.options.onAlertsStored(alerts);
    return entries.map((entry) => results.get(entry) ?? REPEATED_EVENT);
  }

  /**
   * Archives messages of the quarantine and releases them, in one transaction. A repeat is only released; an event that may be a replay stays
   * in the quarantine.
   * @returns one result per entry, in the same order
   * @throws LeaseLostError
   */
  async releaseEntries(
    releasable: readonly ReleasableEntry[],
    now: Date,
    reader: ReaderToken,
  ): Promise<RecordResult[]> {
    const entries = releasable.map(({ entry }) => entry);
    const { results, alerts } = await this.transaction(async (session) => {
      await assertReader(session, reader);
      const replays = await findReplays(session, entries);
      const candidates = releasable.filter(({ entry }) => !replays.has(entry));
      const archived = await this.archiveNew(
        session,
        withoutRepeats(candidates.map(({ entry }) => entry)),
        now,
        new Map(candidates.map(({ entry, quarantinedAt }) => [entry, quarantinedAt])),
      );
      const released = candidates.filter(({ entry }) => !archived.taken.has(entry));
      await session.query(
        `WITH released AS (
           UPDATE quarantine SET released_at = $2 WHERE position = ANY ($1::bigint[]) AND released_at IS NULL
           RETURNING octet_length(payload) AS bytes, trusted
         )
         UPDATE quarantine_status SET
           trusted_bytes = greatest(0, trusted_bytes - (SELECT coalesce(sum(bytes), 0) FROM released WHERE trusted)),
           untrusted_bytes = greatest(0, untrusted_bytes -
             (SELECT coalesce(sum(bytes), 0) FROM released WHERE NOT trusted))`,
        [released.map(({ position }) => String(position)), now],
      );
      const alerts = await this.raise(session, unarchivedAlerts(archived.unarchived), now);
      const results = entries.map((entry): RecordResult => {
        if (replays.has(entry)) return toQuarantinedResult(toReplayed(entry));
        const taken = archived.taken.get(entry);
        return taken ? toQuarantinedResult(taken) : (archived.results.get(entry) ?? REPEATED_EVENT);
      });
      return { results, alerts };
    });
    this.options.onAlertsStored(alerts);
    return results;
  }

  /** Advances identity sequences that are behind the rows of their tables. */
  async advanceIdentities(): Promise<void> {
    const advanced = await advanceIdentities(this.database);
    if (advanced.length > 0) this.options.onIdentitiesAdvanced(advanced);
  }

  /** The caller repeats a transaction that a sequence made fail. */
  private async transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      if (classifyStorageFailure(error) === 'identity') await this.advanceIdentities();
      throw error;
    }
  }

  /**
   * Stores the entries whose event is not in the inbox, or is there without an archived event, without restated versions that the archive
   * holds.
   * @returns no result for an entry whose event is in inbox and archive
   */
  private async archiveNew(
    session: SqlSession,
    entries: readonly VerifiedEntry[],
    now: Date,
    quarantinedAt: ReadonlyMap<VerifiedEntry, Date>,
  ): Promise<ArchivedBatch> {
    const restated = await findRestatedRepeats(session, entries);
    const repeats = [...restated].map((entry) => [entry, REPEATED_VERSION] as const);
    const candidates = entries.filter((entry) => !restated.has(entry));
    const newIds = await insertInbox(session, candidates, now);
    const { unarchived, taken } = await examineRepeats(
      session,
      candidates.filter(({ event }) => !newIds.has(event.id)),
      this.options.verifyStored,
    );
    const newEntries = candidates.filter((entry) => newIds.has(entry.event.id) || unarchived.includes(entry));
    if (newEntries.length === 0) return { results: new Map(repeats), unarchived, taken };
    const states = newEntries.filter(({ event }) => announcesState(event.type));
    const highest = await readHighestSequences(session, states);
    const newest = new Set(findNewest(states.map(toSequenced), highest).values());
    const newestEntries = new Set([...newest].map(({ entry }) => entry));
    const decided = await this.decide(session, newEntries, newestEntries, quarantinedAt, now);
    await insertArchive(session, decided, now);
    await recordHeartbeats(session, newEntries, now);
    await raiseHighestSequences(session, newEntries);
    await insertAlerts(session, decided, this.options.holdMs);
    await withdrawSuperseded(
      session,
      decided.filter(({ entry }) => newestEntries.has(entry)),
      this.options.holdMs,
    );
    await session.notify(ALERTS_CHANNEL, '');
    const archived = decided.map(
      ({ entry, marks, delivery }) => [entry, { kind: 'archived', marks, delivery }] as const,
    );
    const results = new Map<VerifiedEntry, ArchivedResult | RepeatResult>([...archived, ...repeats]);
    return { results, unarchived, taken };
  }

  private async decide(
    session: SqlSession,
    entries: readonly VerifiedEntry[],
    newest: ReadonlySet<VerifiedEntry>,
    quarantinedAt: ReadonlyMap<VerifiedEntry, Date>,
    now: Date,
  ): Promise<DecidedEntry[]> {
    const { lateAfterMs } = this.options;
    const [configured, alertsSince] = [this.options.participants(), this.options.alertsSince()];
    const participants = entries.flatMap(({ event }) =>
      isBridgeAlert(event.type) ? [] : [event.participant],
    );
    const stored = await recordParticipants(session, participants);
    return entries.map((entry) => {
      const { event, statesProblem } = entry;
      const { participant } = event;
      const since = backlogBefore(
        {
          configured: alertsSince.get(participant),
          stored: stored.get(participant),
          isConfigured: configured.includes(participant),
          quarantinedAt: quarantinedAt.get(entry),
        },
        lateAfterMs,
      );
      const time = factTime(event);
      const isNewest = newest.has(entry);
      const { publishedBy } = time;
      const isPast = isPastOfBackfill(event.backfilled === true, publishedBy, now);
      return {
        entry,
        marks: joinMarks(entry.marks, isLate(time, now, lateAfterMs) ? ['late'] : []),
        delivery: decideDelivery({ type: event.type, publishedBy, statesProblem, isNewest, isPast }, since),
      };
    });
  }

  private async quarantine(
    session: SqlSession,
    entries: readonly RejectedEntry[],
    now: Date,
  ): Promise<{ written: readonly RejectedEntry[]; occurrences: readonly Occurrences[] }> {
    const { quarantineMaxBytes } = this.options;
    const { written, isFull } = await insertQuarantine(session, entries, now, quarantineMaxBytes);
    const occurrences: Occurrences[] = quarantineAlerts(written);
    if (isFull) {
      const detail = `a message was stored without its payload; QUARANTINE_MAX_BYTES is ${quarantineMaxBytes}, unknown senders may use half of it`;
      occurrences.push({ topic: QUARANTINE_FULL, count: 1, detail });
    }
    return { written, occurrences };
  }

  private async raise(
    session: SqlSession,
    occurrences: readonly Occurrences[],
    now: Date,
  ): Promise<readonly VerifiedEntry[]> {
    return occurrences.length === 0 ? [] : this.options.alerts.raiseWithin(session, occurrences, now);
  }
}
