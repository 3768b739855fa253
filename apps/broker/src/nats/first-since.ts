import type { StoredMessage } from './stored-messages.js';

/**
 * The number of the first message that was stored at or after an instant, by halving: a stream's timestamps rise with its numbers.
 * @param get the message with this number; undefined when retention has taken it meanwhile, so that the search goes on behind it
 * @returns one beyond `last` when every message is older
 */
export async function firstSince(
  instantNanos: bigint,
  { first, last }: { readonly first: number; readonly last: number },
  get: (sequence: number) => Promise<Pick<StoredMessage, 'timestampNanos'> | undefined>,
): Promise<number> {
  let low = first;
  let high = last + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const message = await get(middle);
    if (message !== undefined && message.timestampNanos >= instantNanos) high = middle;
    else low = middle + 1;
  }
  return low;
}
