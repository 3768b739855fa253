import type { EncodedResponse } from './read-response.js';

/** Bytes of a response that are kept with an attempt. */
export const MAX_RESPONSE_TEXT_BYTES = 2_048;

/** Of one UTF-16 code unit within a JSON string. */
const MAX_ESCAPED_BYTES = 6;

export interface BeginningOptions {
  /** Bytes that are received; a longer body is cut off. */
  readonly limitBytes: number;
  /** Texts that the receiver may repeat. They are replaced by asterisks. */
  readonly secrets?: readonly string[];
}

/**
 * The beginning of a body as text, at most `MAX_RESPONSE_TEXT_BYTES` of UTF-8 without NUL. Reads the rest up to the limit, so that the connection can
 * be used again. Never rejects: a body that breaks off gives what came before.
 * @returns undefined without a body, and for a body in a content-encoding
 */
export async function readBeginning(
  { headers, body }: EncodedResponse,
  { limitBytes, secrets = [] }: BeginningOptions,
): Promise<string | undefined> {
  const known = secrets.filter((secret) => secret !== '');
  // A secret that begins in the text must be found as a whole.
  const keptBytes =
    Math.max(0, ...known.map((secret) => secret.length)) * MAX_ESCAPED_BYTES + MAX_RESPONSE_TEXT_BYTES;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      if (size < keptBytes) chunks.push(chunk.subarray(0, keptBytes - size));
      size += chunk.length;
      if (size >= limitBytes) break;
    }
  } catch {
    // The client replaces the connection of an incomplete body.
  }
  const encoding = String(headers['content-encoding'] ?? 'identity').trim();
  if (size === 0 || !/^(identity)?$/i.test(encoding)) return undefined;
  return toResponseText(decode(Buffer.concat(chunks).subarray(0, limitBytes)), known);
}

/** The beginning of a response, at most `MAX_RESPONSE_TEXT_BYTES` of UTF-8 without NUL and without the secrets, as they are and within a JSON string. */
export function toResponseText(response: string, secrets: readonly string[]): string {
  const text = secrets
    .filter((secret) => secret !== '')
    .toSorted((a, b) => b.length - a.length)
    .reduce((masked, secret) => masked.replaceAll(toPattern(secret), '*'.repeat(secret.length)), response);
  return decode(Buffer.from(text.replaceAll('\0', '\ufffd')).subarray(0, MAX_RESPONSE_TEXT_BYTES));
}

/** Matches the text with any of its characters as JSON escapes them (RFC 8259, section 7). */
function toPattern(secret: string): RegExp {
  const units = secret.split('').map((unit) => {
    if (/[\w.-]/.test(unit)) return unit.replace('.', '\\.');
    const code = unit.charCodeAt(0).toString(16).padStart(4, '0');
    const hex = code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    const escapes = [JSON.stringify(unit).slice(1, -1), ...(unit === '/' ? ['\\/'] : []), unit].map(
      escapePattern,
    );
    return `(?:\\\\u${hex}|${escapes.join('|')})`;
  });
  return new RegExp(units.join(''), 'g');
}

const escapePattern = (text: string): string => text.replace(/[\\^$*+?()[\]{}|/]/g, '\\$&');

/** Leaves out a character that is cut off at the end. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true });
}
