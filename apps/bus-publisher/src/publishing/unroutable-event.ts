import { isIgnored, type OperatorConfig } from '@ssb/config';
import { ALL_PARTICIPANTS, isBridgeAlert, type DetectedEvent } from '@ssb/events';
import type { DeadLetterCause, PublishResult } from '@ssb/redis-queue';

/** Faults without a route are logged and counted, not dead-lettered. */
export function withoutRoute(event: DetectedEvent, config: OperatorConfig): PublishResult {
  const reason = `CONFIG_FILE has no route for ${event.type}`;
  if (isBridgeAlert(event.type)) return { outcome: 'dropped', reason };
  return isIgnored(config, event.type)
    ? { outcome: 'dropped', reason: `${reason} and ignores it` }
    : deadLetter(reason, 'configuration');
}

/**
 * How long a participant may be unknown here after the poller has read it in CONFIG_FILE: the largest CONFIG_RELOAD_INTERVAL_MS, and the
 * time that a cluster needs to bring a changed file to all pods.
 */
const MAX_CONFIG_LAG_MS = 5 * 60_000;

/** Retries an unknown participant at first, because the poller may have a newer CONFIG_FILE. */
export function notConfigured(
  { participant, detectedat }: DetectedEvent,
  reason: string,
  now: Date,
): PublishResult {
  const isCode = typeof participant === 'string' && participant !== ALL_PARTICIPANTS;
  const isNew = now.getTime() - Date.parse(detectedat) < MAX_CONFIG_LAG_MS;
  return isCode && isNew ? { outcome: 'retry', reason } : deadLetter(reason, 'configuration');
}

export function deadLetter(reason: string, cause?: DeadLetterCause): PublishResult {
  return { outcome: 'dead-letter', reason, ...(cause !== undefined && { cause }) };
}
