import { z } from 'zod';

/**
 * Text that has a UTF-8 form (RFC 3629 §3). JSON can write half a surrogate pair on its own; no such text can be signed, and an
 * encoder further on would write U+FFFD in its place and so change what was said.
 */
export function wellFormedText(): z.ZodString {
  return z.string().refine(hasUtf8Form, 'must be text with a UTF-8 form: it has half a surrogate pair');
}

/** Whether no surrogate stands alone. */
export function hasUtf8Form(text: string): boolean {
  // With the u flag a well-formed pair is one code point, so only a lone half is in this class.
  return !/\p{Surrogate}/u.test(text);
}
