import type { SqlSession } from '@ssb/postgres';
import type { ArchiveOffset } from '../problems/domain/problem.js';
import type { AlertPolicy } from './alert-policy.js';
import { boundedText, type TimedEntry, type VerifiedEntry } from './archive-entries.js';

/**
 * Archives new events in the order of the batch.
 * @param policy gives each event its severity
 * @returns the archive offset of each event that says something about a problem
 */
export async function insertArchive(
  session: SqlSession,
  entries: readonly TimedEntry[],
  policy: Pick<AlertPolicy, 'severityOf'>,
  now: Date,
): Promise<ReadonlyMap<string, ArchiveOffset>> {
  const isOffsetUsed = entries.some(({ entry }) => entry.problem !== undefined);
  const rows = await session.query<{ event_id: string; archive_offset: ArchiveOffset }>(
    `INSERT INTO archive (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender,
                          origin, signature, appended_at_nanos, archived_at, event, marks, document_version, backlog, event_severity)
     SELECT event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin,
            signature, appended_at_nanos::numeric, $14::timestamptz, event, string_to_array(marks, ','),
            document_version, backlog::boolean, severity
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                 $10::text[], $11::text[], $12::text[], $13::text[], $15::text[], $16::text[], $17::text[],
                 $18::text[], $19::text[])
       WITH ORDINALITY AS given (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id,
                                 sender, origin, signature, appended_at_nanos, event, marks, document_version,
                                 backlog, severity, place)
     ORDER BY place ${isOffsetUsed ? 'RETURNING event_id, archive_offset' : ''}`,
    [
      entries.map(({ entry }) => entry.event.id),
      entries.map(({ entry }) => entry.event.type),
      entries.map(({ entry }) => entry.event.subject),
      entries.map(({ entry }) => entry.event.participant),
      entries.map(({ entry }) => entry.event.sequence),
      entries.map(({ entry }) => entry.event.time),
      entries.map(({ entry }) => entry.event.detectedat),
      entries.map(({ entry }) => entry.message.fqcn),
      entries.map(({ entry }) => boundedText(entry.message.id)),
      entries.map(({ entry }) => entry.message.sender),
      entries.map(({ entry }) => entry.origin),
      entries.map(({ entry }) => entry.message.signature),
      entries.map(({ entry }) => entry.message.timestampNanos.toString()),
      now,
      entries.map(({ entry }) => entry.message.payload),
      entries.map(({ marks }) => marks.join(',')),
      entries.map(({ entry }) => entry.documentVersion ?? null),
      entries.map(({ timing }) => String(timing === 'none')),
      entries.map(({ entry }) => archivedSeverity(entry, policy)),
    ],
  );
  return new Map(rows.map(({ event_id, archive_offset }) => [event_id, archive_offset]));
}

/** An event that ends a problem is not urgent, whatever the severity of the problem. */
function archivedSeverity({ problem }: VerifiedEntry, policy: Pick<AlertPolicy, 'severityOf'>): string {
  return policy.severityOf(problem?.effect === 'lasts' ? problem : undefined);
}
