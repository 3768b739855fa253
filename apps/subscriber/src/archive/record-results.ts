import { reject } from '../receiver/domain/rejection.js';
import type {
  RecordResult,
  RejectedEntry,
  RepeatResult,
  VerifiedEntry,
  ArchiveEntry,
} from './archive-entries.js';

export const REPEATED_EVENT: RepeatResult = { kind: 'repeat', of: 'event' };
export const REPEATED_VERSION: RepeatResult = { kind: 'repeat', of: 'document-version' };

/** The verified entries, the first one of each event. */
export function withoutRepeats(entries: readonly ArchiveEntry[]): VerifiedEntry[] {
  const first = new Map<string, VerifiedEntry>();
  for (const entry of entries) {
    if (entry.kind === 'verified' && !first.has(entry.event.id)) first.set(entry.event.id, entry);
  }
  return [...first.values()];
}

export function toReplayed({ message, event }: VerifiedEntry): RejectedEntry {
  return {
    kind: 'rejected',
    message,
    ...reject('replayed', `the event was signed at ${event.signedat}, and its subject has a later event`),
    trustedSource: { sender: message.sender, participant: event.participant },
  };
}

export function toQuarantinedResult({ reason, detail }: RejectedEntry): RecordResult {
  return { kind: 'quarantined', reason, detail };
}
