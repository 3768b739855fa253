import { toMilliseconds } from '../domain/nanoseconds.js';
import type { ReceivedPage } from './channel-pages.js';
import type { PageRead } from './domain/next-page.js';

/** Further messages exist, and no request returns them. */
export class UnreadablePageError extends Error {
  override readonly name = 'UnreadablePageError';

  constructor({ count, firstNanos }: Pick<ReceivedPage, 'count' | 'firstNanos'>, { fromMs }: PageRead) {
    const reason =
      firstNanos === undefined
        ? 'none of them has a time'
        : `they begin at ${new Date(toMilliseconds(firstNanos)).toISOString()}`;
    super(
      `${count} messages were returned for from=${new Date(fromMs).toISOString()}, ${reason}, and others cannot be requested. The gateway must return the oldest messages from that time on`,
    );
  }
}

/** An empty response that may be empty because the messages went to a response that did not arrive. */
export class UnprovenEndError extends Error {
  override readonly name = 'UnprovenEndError';

  constructor(expected: string) {
    super(`the gateway returned no messages ${expected}, which does not show that there are none`);
  }
}
