import { createHash } from 'node:crypto';

/** The event that a full record belongs to. */
export interface RecordDescription {
  readonly participant: string;
  readonly eventId: string;
  readonly subject: string;
}

/** A full record of the store, without its text. */
export interface StoredRecord extends RecordDescription {
  /** SHA-256 of the text in UTF-8, lower-case hexadecimal. */
  readonly sha256: string;
  /** Size of the text in UTF-8, bytes. */
  readonly bytes: number;
  readonly compressedBytes: number;
  /** RFC 3339 in UTC. */
  readonly storedAt: string;
}

/** SHA-256 of a text in UTF-8, lower-case hexadecimal. */
export function hashRecord(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
