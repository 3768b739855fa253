/** A command met a key that holds another type of value. In a script the code stands within the message. */
export function isWrongTypeError(error: unknown): boolean {
  // ioredis gives the errors of the server this name.
  return error instanceof Error && error.name === 'ReplyError' && /\bWRONGTYPE\b/.test(error.message);
}
