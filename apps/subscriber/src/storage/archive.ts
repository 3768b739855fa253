import type { Database, SqlSession } from '@ssb/database';
import { requireReader, type ReaderToken } from '../replica/reader-lease.js';
import {
  toArchivedEvent,
  toQuarantinedMessage,
  type ArchiveRow,
  type QuarantineRow,
} from './archive-rows.js';
import {
  boundedText,
  type VerifiedEntry,
  type ArchivedEvent,
  type ArchiveEntry,
  type Page,
  type QuarantinedMessage,
  type RecordOutcome,
} from './archive-entries.js';
import { insertQuarantine } from './insert-quarantine.js';

/** Database channel that notifies every replica of new alerts. */
export const ALERTS_CHANNEL = 'alerts';

/** Archive, inbox and quarantine. The number of statements is independent of the size of a batch. */
export class Archive {
  constructor(private readonly database: Database) {}

  /**
   * Records a batch in one transaction: verified entries in inbox, archive and outbox, rejected ones in quarantine. A repeat, whose event or
   * message is already stored, writes nothing.
   * @param reader checked in the same transaction
   * @returns one outcome per entry, in the same order
   * @throws LeaseLostError when another replica reads the channels; after any error nothing was written
   */
  async recordEntries(
    entries: readonly ArchiveEntry[],
    now: Date,
    reader: ReaderToken,
  ): Promise<RecordOutcome[]> {
    const verified = withoutRepeats(entries);
    const rejected = entries.filter((entry) => entry.kind === 'rejected');
    const written = await this.database.transaction(async (session) => {
      await requireReader(session, reader);
      const newIds = await insertInbox(session, verified, now);
      const newEntries = verified.filter(({ event }) => newIds.has(event.id));
      if (newEntries.length > 0) {
        await insertArchive(session, newEntries, now);
        await insertOutbox(session, newEntries);
        await session.notify(ALERTS_CHANNEL, '');
      }
      return new Set<ArchiveEntry>([...newEntries, ...(await insertQuarantine(session, rejected, now))]);
    });
    return entries.map((entry) => {
      if (!written.has(entry)) return 'repeat';
      return entry.kind === 'verified' ? 'archived' : 'quarantined';
    });
  }

  async listArchived({ after = 0n, limit }: Page): Promise<ArchivedEvent[]> {
    const rows = await this.database.query<ArchiveRow>(
      `SELECT position::text, event_id, type, subject, participant, sequence, time, channel, message_id, sender, origin,
              signature, appended_at_nanos::text, archived_at, event
       FROM archive WHERE position > $1 ORDER BY archive.position LIMIT $2`,
      [after, limit],
    );
    return rows.map(toArchivedEvent);
  }

  async listQuarantined({ after = 0n, limit }: Page): Promise<QuarantinedMessage[]> {
    const rows = await this.database.query<QuarantineRow>(
      `SELECT position::text, channel, message_id, topic, transaction_id, sender, signature, appended_at_nanos::text, reason,
              detail, payload, payload_bytes, quarantined_at
       FROM quarantine WHERE position > $1 ORDER BY quarantine.position LIMIT $2`,
      [after, limit],
    );
    return rows.map(toQuarantinedMessage);
  }
}

/** The verified entries, the first one of each event. */
function withoutRepeats(entries: readonly ArchiveEntry[]): VerifiedEntry[] {
  const first = new Map<string, VerifiedEntry>();
  for (const entry of entries) {
    if (entry.kind === 'verified' && !first.has(entry.event.id)) first.set(entry.event.id, entry);
  }
  return [...first.values()];
}

/** @returns the event ids that the inbox did not have */
async function insertInbox(
  session: SqlSession,
  entries: readonly VerifiedEntry[],
  now: Date,
): Promise<ReadonlySet<string>> {
  if (entries.length === 0) return new Set();
  const rows = await session.query<{ event_id: string }>(
    `INSERT INTO inbox (event_id, received_at) SELECT id, $2::timestamptz FROM unnest($1::text[]) AS given (id)
     ON CONFLICT DO NOTHING RETURNING event_id`,
    [entries.map(({ event }) => event.id), now],
  );
  return new Set(rows.map(({ event_id }) => event_id));
}

async function insertArchive(
  session: SqlSession,
  entries: readonly VerifiedEntry[],
  now: Date,
): Promise<void> {
  await session.query(
    `INSERT INTO archive (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender,
                          origin, signature, appended_at_nanos, archived_at, event)
     SELECT event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin,
            signature, appended_at_nanos::numeric, $14::timestamptz, event
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                 $10::text[], $11::text[], $12::text[], $13::text[], $15::text[])
       WITH ORDINALITY AS given (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id,
                                 sender, origin, signature, appended_at_nanos, event, place)
     ORDER BY place`,
    [
      entries.map(({ event }) => event.id),
      entries.map(({ event }) => event.type),
      entries.map(({ event }) => event.subject),
      entries.map(({ event }) => event.participant),
      entries.map(({ event }) => event.sequence),
      entries.map(({ event }) => event.time),
      entries.map(({ event }) => event.detectedat),
      entries.map(({ message }) => message.fqcn),
      entries.map(({ message }) => boundedText(message.id)),
      entries.map(({ message }) => message.sender),
      entries.map(({ origin }) => origin),
      entries.map(({ message }) => message.signature),
      entries.map(({ message }) => message.timestampNanos.toString()),
      now,
      entries.map(({ message }) => message.payload),
    ],
  );
}

/** Locks subjects in the same order as `AlertOutbox.recordResults`, which avoids deadlocks. */
async function insertOutbox(session: SqlSession, entries: readonly VerifiedEntry[]): Promise<void> {
  const alerts = entries.flatMap(({ event, sinks, alert }) =>
    sinks.map((sink) => ({ id: event.id, sink, alert })),
  );
  if (alerts.length === 0) return;
  await session.query(
    `WITH added AS (
       INSERT INTO alert_outbox (event_id, sink, alert, subject, sequence, position)
       SELECT event_id, sink, alert::boolean, subject, sequence, position
       FROM unnest($1::text[], $2::text[], $3::text[]) AS given (event_id, sink, alert) JOIN archive USING (event_id)
       RETURNING sink, subject
     )
     INSERT INTO alert_subject AS known (sink, subject, pending, next_attempt_at)
     SELECT sink, subject, count(*), clock_timestamp() FROM added GROUP BY sink, subject ORDER BY sink, subject
     ON CONFLICT (sink, subject) DO UPDATE SET pending = known.pending + excluded.pending,
       next_attempt_at = CASE known.pending WHEN 0 THEN excluded.next_attempt_at ELSE known.next_attempt_at END`,
    [alerts.map(({ id }) => id), alerts.map(({ sink }) => sink), alerts.map(({ alert }) => String(alert))],
  );
}
