import type { DeadLetter } from '@ssb/redis-queue';

/** A retry that fails is a fault again, so it is not repeated earlier. */
const MIN_INTERVAL_MS = 10 * 60_000;
/** The gateway does not show the size limit of a channel. */
const TOO_LARGE_INTERVAL_MS = 6 * 3_600_000;
/** The check of the gateway may be older than the failure. */
const FIRST_INTERVAL_MS = 30_000;

/**
 * Whether the cause of a dead letter may have ended. `retry` itself refuses what CONFIG_FILE does not allow.
 * @param permitsChannel whether the gateway lists the channel of the event
 */
export function isRetryDue(
  { cause, deadLetteredAt, retriedAt }: Pick<DeadLetter, 'cause' | 'deadLetteredAt' | 'retriedAt'>,
  permitsChannel: boolean,
  now: Date,
): boolean {
  if (cause === undefined || !permitsChannel) return false;
  const sinceFailure = now.getTime() - Date.parse(deadLetteredAt);
  const sinceRetry = retriedAt === undefined ? Infinity : now.getTime() - Date.parse(retriedAt);
  switch (cause) {
    case 'configuration':
      return sinceRetry > MIN_INTERVAL_MS;
    case 'channel-missing':
      return sinceFailure > FIRST_INTERVAL_MS && sinceRetry > MIN_INTERVAL_MS;
    case 'too-large':
      return Math.min(sinceFailure, sinceRetry) > TOO_LARGE_INTERVAL_MS;
    default:
      return cause satisfies never;
  }
}
