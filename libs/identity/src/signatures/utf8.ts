/**
 * The text has half a surrogate pair on its own and so no UTF-8 form (RFC 3629 §3). Encoders write U+FFFD instead, and then texts that
 * differ would share one signature.
 */
export class IllFormedTextError extends Error {
  override readonly name = 'IllFormedTextError';

  constructor() {
    super('the text has a lone surrogate and so no UTF-8 form to sign');
  }
}

/** Whether the text has a UTF-8 form of its own. */
export function isWellFormed(text: string): boolean {
  // With the u flag a well-formed pair is one code point, so only a lone half is in this class.
  return !/\p{Surrogate}/u.test(text);
}

/** The UTF-8 bytes of a text, from which it could be read back. @throws IllFormedTextError */
export function utf8(text: string): Buffer {
  if (!isWellFormed(text)) throw new IllFormedTextError();
  return Buffer.from(text, 'utf8');
}
