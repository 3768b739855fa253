import type { StoredMessage } from './stored-messages.js';

/**
 * How far the clocks that a stream's timestamps come from may go back: a server's clock is set, or the stream gets another leader. A
 * message that was stored before such a step can be later by the clock than those behind it.
 */
export const LARGEST_STEP_BACK_NANOS = 1_000_000_000n;

/**
 * A number such that no message before it was stored at or after an instant, by halving. Timestamps rise with the numbers, but for steps
 * back of `LARGEST_STEP_BACK_NANOS` at most: so it is searched for an instant that much earlier, and messages from before the instant
 * may stand behind the number.
 * @param get the message with this number; undefined when retention has taken it meanwhile, so that the search goes on behind it
 * @returns one beyond `last` when every message is older
 */
export async function firstSince(
  instantNanos: bigint,
  { first, last }: { readonly first: number; readonly last: number },
  get: (sequence: number) => Promise<Pick<StoredMessage, 'timestampNanos'> | undefined>,
): Promise<number> {
  const earlier = instantNanos - LARGEST_STEP_BACK_NANOS;
  let low = first;
  let high = last + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const message = await get(middle);
    if (message !== undefined && message.timestampNanos >= earlier) high = middle;
    else low = middle + 1;
  }
  return low;
}
