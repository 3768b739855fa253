import { MOST_NAMED_CHANNELS } from '@ssb/bus';
import { Semaphore } from 'async-mutex';
import { PAGE_BYTES } from '../read-messages.js';

/** Work of a total weight goes on at once; the rest waits in order. What is heavier than the total goes alone. */
function weighted(total: number) {
  const semaphore = new Semaphore(total);
  return <T>(weight: number, work: () => Promise<T>): Promise<T> =>
    semaphore.runExclusive(work, Math.max(1, Math.min(weight, total)));
}

/** What the subscriptions of one stream share, so that many of them neither stall the broker nor fill its memory. */
export class StreamTurns {
  /** Reviews, by the channels that are looked up. */
  readonly review = weighted(MOST_NAMED_CHANNELS);
  /** Pages that were read and not yet taken by the client's socket, by bytes of payload. */
  readonly page = weighted(2 * PAGE_BYTES);
}
