/** Base64url without padding (RFC 7515 §2). All implementations give the same results. */
export interface Base64Url {
  encode(bytes: Uint8Array): string;
  /** Undefined for any text that `encode` does not write: each sequence of bytes has one form. */
  decode(text: string): Uint8Array | undefined;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The reference implementation, for every platform. */
export const portableBase64url: Base64Url = { encode, decode };

function encode(bytes: Uint8Array): string {
  let text = '';
  for (let index = 0; index < bytes.length; index += 3) {
    const [first = 0, second = 0, third = 0] = [bytes[index], bytes[index + 1], bytes[index + 2]];
    const group = (first << 16) | (second << 8) | third;
    const characters = Math.min(bytes.length - index, 3) + 1;
    for (let shift = 18; shift > 18 - 6 * characters; shift -= 6) text += ALPHABET[(group >> shift) & 63];
  }
  return text;
}

function decode(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 6) / 8));
  let [group, bits, length] = [0, 0, 0];
  for (const character of text) {
    const value = ALPHABET.indexOf(character);
    if (value < 0) return undefined;
    group = ((group << 6) | value) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length] = group >> bits;
    length += 1;
  }
  // A single character is too short for a byte, and unused bits are zero.
  return bits === 6 || (group & ((1 << bits) - 1)) !== 0 ? undefined : bytes;
}
