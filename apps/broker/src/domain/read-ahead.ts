/** Messages asked for at once at first, and at most. */
const FIRST = 2;
const MOST = 32;

/** How many times as many are asked for next. */
const GROWTH = 4;

/** Bytes that what is asked for at once would have if each message were as large as its channel allows. */
const MOST_BYTES = 33_554_432;

export interface ReadSoFar {
  /** Messages asked for last; zero at the beginning. */
  readonly asked: number;
  /** Bytes of the largest message that was seen. */
  readonly largest: number;
  /** Bytes that still fit on the page. */
  readonly room: number;
}

/**
 * How many messages to ask for next, as an engine tells a message's size only with the message: as many as fit if they are like those
 * seen, and one more, which tells whether there is more. It begins with few, so that of large ones no more than one is fetched in vain, and
 * grows quickly, so that small ones come in few round trips.
 * @param largestMessage bytes that a message of the channel may have
 */
export function readAhead({ asked, largest, room }: ReadSoFar, largestMessage: number): number {
  const most = Math.min(MOST, Math.floor(MOST_BYTES / largestMessage));
  const wished = asked === 0 ? FIRST : asked * GROWTH;
  const fitting = largest === 0 ? wished : Math.floor(room / largest) + 1;
  return Math.max(1, Math.min(wished, fitting, most));
}
