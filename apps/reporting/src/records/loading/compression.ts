import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw, inflateRawSync } from 'node:zlib';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** A document as it is stored: raw DEFLATE (RFC 1951) as base64, and the SHA-256 of its text as base64url. */
export interface Packed {
  readonly packed: string;
  readonly digest: string;
}

/** Far above the largest load that the door takes: a stored document that grows beyond it is damaged. */
const LARGEST_DOCUMENT = 128 * 1024 * 1024;

/** Level 1: figures of a day shrink to a third with it, and hardly further with more work. */
export async function pack(document: string): Promise<Packed> {
  const bytes = await deflate(document, { level: 1 });
  return {
    packed: bytes.toString('base64'),
    digest: createHash('sha256').update(document).digest('base64url'),
  };
}

/** Packed bytes that are unpacked at once: handing them to another thread would cost more than the work. */
const AT_ONCE = 64 * 1024;

/** The very text that was packed, as UTF-8. */
export async function unpack(bytes: Uint8Array): Promise<Buffer> {
  const bound = { maxOutputLength: LARGEST_DOCUMENT };
  return bytes.byteLength <= AT_ONCE ? inflateRawSync(bytes, bound) : inflate(bytes, bound);
}
