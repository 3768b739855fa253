import type { Occurrences } from '@ssb/faults';
import type { SqlSession } from '@ssb/postgres';
import type { ArchiveEntry, RecordResult, RejectedEntry } from '../archive/archive-entries.js';
import { toQuarantinedResult } from '../archive/record-results.js';
import { quarantineFaults, QUARANTINE_FULL } from './domain/quarantine-faults.js';
import { insertQuarantine } from './insert-quarantine.js';

/** What became of rejected entries, and the faults to store with them. */
export interface QuarantinedBatch {
  /** No result for a message that was stored before. */
  readonly results: readonly (readonly [ArchiveEntry, RecordResult])[];
  readonly occurrences: readonly Occurrences[];
}

/** @param rejections the entries of a batch that are not archived, each with its reason */
export async function quarantineEntries(
  session: SqlSession,
  rejections: readonly (readonly [ArchiveEntry, RejectedEntry])[],
  now: Date,
  maxBytes: number,
): Promise<QuarantinedBatch> {
  const rejected = rejections.map(([, rejection]) => rejection);
  const { written, isFull } = await insertQuarantine(session, rejected, now, maxBytes);
  const occurrences: Occurrences[] = quarantineFaults(written);
  if (isFull) {
    const detail = `a message was stored without its payload; QUARANTINE_MAX_BYTES is ${maxBytes}, unknown senders may use half of it`;
    occurrences.push({ topic: QUARANTINE_FULL, count: 1, detail });
  }
  const stored = new Set(written);
  const results = rejections
    .filter(([, rejection]) => stored.has(rejection))
    .map(([entry, rejection]) => [entry, toQuarantinedResult(rejection)] as const);
  return { results, occurrences };
}
