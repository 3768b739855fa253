/**
 * Converts a strict DER signature (X.690 §10, BIP-66) to r‖s; undefined for any other encoding or numbers beyond 32
 * bytes. Only the published vectors use DER.
 */
export function compactFromDer(der: Uint8Array): Uint8Array | undefined {
  const bytes = Buffer.from(der);
  if (bytes[0] !== 0x30 || bytes[1] !== bytes.length - 2) return undefined;
  const r = readInteger(bytes.subarray(2));
  const s = r && readInteger(bytes.subarray(2 + r.length));
  if (r === undefined || s === undefined || 2 + r.length + s.length !== bytes.length) return undefined;
  return Buffer.concat([r.value, s.value]);
}

/** Reads a positive integer of minimal length. @returns its value in 32 bytes, and its length with tag and length byte */
function readInteger(bytes: Buffer): { value: Buffer; length: number } | undefined {
  const size = bytes[1] ?? 0;
  const [tag, content] = [bytes[0], bytes.subarray(2, 2 + size)];
  const [first = 0x80, second = 0x80] = content;
  if (tag !== 2 || size > 33 || content.length !== size || first >= 0x80) return undefined;
  if (size > 1 && first === 0 && second < 0x80) return undefined;
  const digits = first === 0 ? content.subarray(1) : content;
  if (digits.length > 32) return undefined;
  return { value: Buffer.concat([Buffer.alloc(32 - digits.length), digits]), length: 2 + size };
}
