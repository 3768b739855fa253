/**
 * The text has a lone surrogate and therefore no UTF-8 form (RFC 3629 §3). Encoders write U+FFFD instead, so
 * different texts would share one signature.
 */
export class IllFormedTextError extends Error {
  override readonly name = 'IllFormedTextError';

  constructor() {
    super('the text has a lone surrogate and so no UTF-8 form to sign');
  }
}

/** Whether the text has a UTF-8 form, that is, no lone surrogate. */
export function isWellFormed(text: string): boolean {
  // With the u flag, a surrogate pair is one code point, so this class matches lone surrogates only.
  return !/\p{Surrogate}/u.test(text);
}

/** The UTF-8 bytes of a text. @throws IllFormedTextError */
export function utf8(text: string): Uint8Array {
  if (!isWellFormed(text)) throw new IllFormedTextError();
  return encodeUtf8(text);
}

const [encoder, decoder] = [new TextEncoder(), new TextDecoder('utf-8', { ignoreBOM: true })];

/** The bytes of a text. A lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text of bytes. What is not UTF-8 becomes U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
