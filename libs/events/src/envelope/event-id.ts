import { createHash } from 'node:crypto';

/** A UUID in version-4 form, derived from the fact. Detecting the same fact again gives the same id. */
export type EventId = string & { readonly __brand: 'EventId' };

/**
 * Derives an event's id from its fact: SHA-256 of the parts, each prefixed with its length. It is also job id and archive key. It is not secret,
 * so the `transactionId` of the message is a keyed function of it.
 */
export function eventId(type: string, participant: string, naturalKey: string, version: string): EventId {
  const hash = createHash('sha256');
  for (const part of [type, participant, naturalKey, version])
    hash.update(`${Buffer.byteLength(part)}:${part}`);
  return toUuidV4(hash.digest()) as EventId;
}

/** Writes the first 16 bytes as a UUID in version-4 form (RFC 9562 §5.4). */
export function toUuidV4(digest: Uint8Array): string {
  const bytes = Buffer.from(digest.subarray(0, 16));
  // Version 4 in the high bits of octet 6, variant 10 in those of octet 8.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
