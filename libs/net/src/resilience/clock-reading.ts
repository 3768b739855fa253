import { parseHttpDate } from './retry-after.js';

/** One reading of another system's clock. All times are epoch milliseconds. */
export interface ClockReading {
  /** The local clock before the request was sent. */
  readonly requestedAt: number;
  /** The local clock when the response had arrived. */
  readonly respondedAt: number;
  /** The other clock when the response was created, rounded down to its resolution. */
  readonly remoteTime: number;
  readonly resolutionMs: number;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `Date` has whole seconds (RFC 9110 §5.6.7). */
const DATE_RESOLUTION_MS = 1_000;

/**
 * The server's clock from the `Date` of its response (RFC 9110 §6.6.1).
 * @param headers with names in lower case
 * @returns undefined without a valid `Date`, and for a response that a cache kept (RFC 9111 §5.1)
 */
export function readDateHeader(
  headers: Headers,
  { requestedAt, respondedAt }: Pick<ClockReading, 'requestedAt' | 'respondedAt'>,
): ClockReading | undefined {
  const { date, age } = headers;
  if (typeof date !== 'string' || age !== undefined) return undefined;
  const remoteTime = parseHttpDate(date, respondedAt);
  return remoteTime === undefined
    ? undefined
    : { requestedAt, respondedAt, remoteTime, resolutionMs: DATE_RESOLUTION_MS };
}
