import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw, inflateRawSync } from 'node:zlib';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** A document as stored: raw DEFLATE (RFC 1951) as base64, and the SHA-256 of its text as base64url. */
export interface CompressedDocument {
  readonly packed: string;
  readonly digest: string;
}

/** Far above the largest load that the operator API accepts. A larger document is damaged. */
const MAX_DOCUMENT_BYTES = 128 * 1024 * 1024;

/** Level 1 compresses the figures of a day to a third; higher levels gain little. */
export async function compress(document: string): Promise<CompressedDocument> {
  const bytes = await deflate(document, { level: 1 });
  return {
    packed: bytes.toString('base64'),
    digest: createHash('sha256').update(document).digest('base64url'),
  };
}

/** Up to this size, a thread pool job costs more than the decompression. */
const MAX_SYNC_BYTES = 64 * 1024;

/** The exact text that was compressed, as UTF-8. */
export async function decompress(bytes: Uint8Array): Promise<Buffer> {
  const options = { maxOutputLength: MAX_DOCUMENT_BYTES };
  return bytes.byteLength <= MAX_SYNC_BYTES ? inflateRawSync(bytes, options) : inflate(bytes, options);
}
