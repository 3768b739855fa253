/** Messages asked for at once, at most, and at first, at least. */
const MAX = 32;
const FIRST = 2;

/** Bytes that what is asked for at once would have if each message were as large as its channel allows. */
const MAX_BYTES = 33_554_432;

/**
 * How many messages to ask for next, as an engine tells a message's size only with the message: as many as fit if they are like those seen,
 * and one more, which tells whether there is more. So of large ones no more than one is fetched in vain, and small ones come in few round
 * trips. It begins with what fits in any case.
 * @param largest bytes of the largest message that was seen, more than none; undefined before the first
 * @param room bytes that still fit on the page
 * @param largestMessage bytes that a message of the channel may have
 */
export function readAhead(largest: number | undefined, room: number, largestMessage: number): number {
  const most = Math.min(MAX, Math.floor(MAX_BYTES / largestMessage));
  const fitting =
    largest === undefined
      ? Math.max(FIRST, Math.floor(room / largestMessage))
      : Math.floor(room / largest) + 1;
  return Math.max(1, Math.min(fitting, most));
}
