import { parseHttpDate } from './retry-after.js';

/** One reading of another system's clock. All times are epoch milliseconds. */
export interface ClockReading {
  /** The local clock before the request was sent. */
  readonly requestedAt: number;
  /** The local clock when the answer had arrived. */
  readonly answeredAt: number;
  /** The other clock when the answer was created, rounded down to its resolution. */
  readonly remoteTime: number;
  readonly resolutionMs: number;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `Date` has whole seconds (RFC 9110 §5.6.7). */
const DATE_RESOLUTION_MS = 1_000;

/**
 * The server's clock from the `Date` of its answer (RFC 9110 §6.6.1).
 * @param headers with names in lower case
 * @returns undefined without a valid `Date`, and for an answer that a cache kept (RFC 9111 §5.1)
 */
export function readDateHeader(
  headers: Headers,
  { requestedAt, answeredAt }: Pick<ClockReading, 'requestedAt' | 'answeredAt'>,
): ClockReading | undefined {
  const { date, age } = headers;
  if (typeof date !== 'string' || age !== undefined) return undefined;
  const remoteTime = parseHttpDate(date, answeredAt);
  return remoteTime === undefined
    ? undefined
    : { requestedAt, answeredAt, remoteTime, resolutionMs: DATE_RESOLUTION_MS };
}
