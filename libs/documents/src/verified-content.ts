import { createHash } from 'node:crypto';
import type { DocumentRecord } from './document.js';
import { DocumentStoreError } from './document-store.js';

/** Passes the bytes on, but the last part only when all of them are those that were stored. @throws DocumentStoreError */
export async function* verifiedContent(
  { id, sha256, bytes }: DocumentRecord,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let size = 0;
  let held: Uint8Array | undefined;
  for await (const part of content) {
    if (held !== undefined) yield held;
    hash.update(part);
    size += part.length;
    held = part;
  }
  if (size !== bytes || hash.digest('hex') !== sha256)
    throw new DocumentStoreError(
      `The document ${id} is damaged: its storage has other bytes than were stored`,
    );
  if (held !== undefined) yield held;
}
