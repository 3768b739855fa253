import { encodeUtf8, sha256 } from '@ssb/identity';
import type { SignedEvidence, UnsignedEvidence } from './evidence.js';

/** Evidence before it has a digest. */
export type OpenEvidence = Omit<SignedEvidence, 'digest'> | Omit<UnsignedEvidence, 'digest'>;

/** The text of an evidence file. Its last two lines are the digest of all bytes before them, and the end of the object. */
export function writeEvidence(evidence: OpenEvidence): string {
  return sealEvidence(JSON.stringify(evidence, undefined, 2).replace(/\n\}$/, ',\n'));
}

/** Adds the last two lines. */
export function sealEvidence(text: string): string {
  return `${text}${lastLines(digestOf(encodeUtf8(text)))}`;
}

/** Whether the bytes end with the digest of those before it. */
export function isUndamaged(bytes: Uint8Array): boolean {
  const length = bytes.length - lastLines('0'.repeat(DIGEST_LENGTH)).length;
  if (length <= 0) return false;
  const expected = encodeUtf8(lastLines(digestOf(bytes.subarray(0, length))));
  return expected.every((byte, at) => bytes[length + at] === byte);
}

const DIGEST_LENGTH = 64;

function lastLines(digest: string): string {
  return `  "digest": "${digest}"\n}\n`;
}

function digestOf(bytes: Uint8Array): string {
  return [...sha256(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
