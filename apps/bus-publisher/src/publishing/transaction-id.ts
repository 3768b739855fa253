import { createHmac } from 'node:crypto';
import { toUuidV4, type DetectedEvent } from '@ssb/events';
import type { KeyRing } from '@ssb/keys';

/**
 * The `transactionId` of an event's message: HMAC-SHA-256 of the event id, in the form of a version-4 UUID. Only the bridge can compute it,
 * so no other client posts under it first. For a backfilled event it covers `detectedat` too, so that the broker does not drop it as a repeat.
 */
export function transactionId(
  event: Pick<DetectedEvent, 'id' | 'time' | 'detectedat' | 'backfilled'>,
  keys: KeyRing,
): string {
  const { secret } = keys.activeAt(keyTime(event));
  const name = event.backfilled === true ? `${event.id} ${event.detectedat}` : event.id;
  return toUuidV4(createHmac('sha256', secret).update(name).digest());
}

/** The same in every replica and attempt: the time of the fact or, when that lies ahead, of the detection, which the job keeps. */
function keyTime({ time, detectedat }: Pick<DetectedEvent, 'time' | 'detectedat'>): Date {
  return new Date(Math.min(Date.parse(time), Date.parse(detectedat)));
}
