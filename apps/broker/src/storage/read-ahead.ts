const MAX_MESSAGES = 32;
const MIN_FIRST_MESSAGES = 2;

/** Limit of one request if every message has the maximum size of its channel. */
const MAX_BYTES = 33_554_432;

/**
 * The number of messages to request next: as many as fit at the largest size so far, and one more to detect further messages.
 * An engine returns a size only with the message.
 * @param largestSeen bytes of the largest message so far, at least 1; undefined before the first
 * @param bytesLeft bytes that still fit on the page
 * @param maxMessageBytes maximum size of a message of the channel
 */
export function readAhead(
  largestSeen: number | undefined,
  bytesLeft: number,
  maxMessageBytes: number,
): number {
  const max = Math.min(MAX_MESSAGES, Math.floor(MAX_BYTES / maxMessageBytes));
  const fitting =
    largestSeen === undefined
      ? Math.max(MIN_FIRST_MESSAGES, Math.floor(bytesLeft / maxMessageBytes))
      : Math.floor(bytesLeft / largestSeen) + 1;
  return Math.max(1, Math.min(fitting, max));
}
