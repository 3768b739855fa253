import { HEARTBEAT_TYPE } from '@ssb/config';
import type { SqlSession } from '@ssb/postgres';
import type { VerifiedEntry } from './archive-entries.js';

/** Advisory lock of transactions that archive versions of documents. */
const VERSIONS_LOCK = 7_305_121;

/**
 * Finds restated versions that another event announced, in the archive or earlier in the batch. Locks out other transactions with versions
 * until this one ends, so that two at once do not archive one version twice.
 * @param entries in the order of the batch, each event once
 */
export async function findRestatedRepeats(
  session: SqlSession,
  entries: readonly VerifiedEntry[],
): Promise<ReadonlySet<VerifiedEntry>> {
  const versions = [...new Set(entries.flatMap(({ documentVersion }) => documentVersion ?? []))];
  if (versions.length === 0) return new Set();
  await session.query('SELECT pg_advisory_xact_lock($1)', [VERSIONS_LOCK]);
  if (!entries.some(({ isRestated }) => isRestated)) return new Set();
  const eventsOf = await readEventIds(session, versions);
  const repeats = new Set<VerifiedEntry>();
  for (const entry of entries) {
    const { documentVersion, isRestated, event } = entry;
    if (documentVersion === undefined) continue;
    const ids = eventsOf.get(documentVersion) ?? new Set();
    // An event that is archived itself is a repeat of an event, not of a version.
    if (isRestated && ids.size > 0 && !ids.has(event.id)) repeats.add(entry);
    else eventsOf.set(documentVersion, ids.add(event.id));
  }
  return repeats;
}

/** The events of each version, also those that were deleted from the archive. */
async function readEventIds(
  session: SqlSession,
  versions: readonly string[],
): Promise<Map<string, Set<string>>> {
  const rows = await session.query<{ document_version: string; event_id: string }>(
    `SELECT document_version, event_id FROM archive WHERE document_version = ANY ($1::text[])
     UNION ALL
     SELECT document_version, event_id FROM deleted_event WHERE document_version = ANY ($1::text[]) AND type <> '${HEARTBEAT_TYPE}'`,
    [versions],
  );
  const eventsOf = new Map<string, Set<string>>();
  for (const { document_version: version, event_id } of rows)
    eventsOf.set(version, (eventsOf.get(version) ?? new Set()).add(event_id));
  return eventsOf;
}
