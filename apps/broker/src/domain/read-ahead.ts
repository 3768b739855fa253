/** Messages asked for at once, at most, and at first, at least. */
const MOST = 32;
const FIRST = 2;

/** Bytes that what is asked for at once would have if each message were as large as its channel allows. */
const MOST_BYTES = 33_554_432;

export interface ReadSoFar {
  /** Bytes of the largest message that was seen, more than none; undefined before the first. */
  readonly largest: number | undefined;
  /** Bytes that still fit on the page. */
  readonly room: number;
}

/**
 * How many messages to ask for next, as an engine tells a message's size only with the message: as many as fit if they are like those seen,
 * and one more, which tells whether there is more. So of large ones no more than one is fetched in vain, and small ones come in few round
 * trips. It begins with what fits in any case.
 * @param largestMessage bytes that a message of the channel may have
 */
export function readAhead({ largest, room }: ReadSoFar, largestMessage: number): number {
  const most = Math.min(MOST, Math.floor(MOST_BYTES / largestMessage));
  const fitting =
    largest === undefined
      ? Math.max(FIRST, Math.floor(room / largestMessage))
      : Math.floor(room / largest) + 1;
  return Math.max(1, Math.min(fitting, most));
}
