import { ALL_PARTICIPANTS, type DetectedEvent } from '@ssb/events';
import { toPrintable } from '@ssb/net';
import type { Fault } from '@ssb/faults';
import { isConfiguredParticipant, type OperatorConfig } from '@ssb/config';
import type { RefusedJob, UnverifiedLetterLimits } from '@ssb/redis-queue';

const MAX_NAME_LENGTH = 100;
const MAX_DETAIL_LENGTH = 500;

/** The fault of an event that cannot be published. The event may lack any field. */
export function deadLetterFault(
  config: OperatorConfig,
  event: DetectedEvent,
  channel: string | undefined,
  reason: string,
): Fault {
  const { id, type, participant } = event;
  const name = `${String(type).slice(0, MAX_NAME_LENGTH)} ${String(id).slice(0, MAX_NAME_LENGTH)}`;
  return {
    reason: 'dead-letter',
    // A fault of a participant that is not configured could not be published either.
    participant: isConfiguredParticipant(config, event) ? participant : ALL_PARTICIPANTS,
    channel,
    detail: toPrintable(`${name}: ${reason}`, MAX_DETAIL_LENGTH),
  };
}

/** The fault of a job without a valid HMAC. What the job claims to be decides nothing, so that all such jobs are one fault. */
export function refusedJobFault({ jobId, reason }: RefusedJob): Fault {
  return {
    reason: 'job-authentication-failed',
    participant: ALL_PARTICIPANTS,
    detail: `Job ${jobId}: ${reason}`,
  };
}

/** The fault of unverified dead letters that were removed. One of them may have been a genuine event. @param count since the start */
export function removedLettersFault(
  count: number,
  { maxLetters, maxBytes }: Pick<UnverifiedLetterLimits, 'maxLetters' | 'maxBytes'>,
): Fault {
  return {
    reason: 'job-authentication-failed',
    participant: ALL_PARTICIPANTS,
    document: 'removed dead letters',
    detail: `Unverified dead letters that were removed since the start: ${count}. The newest ${maxLetters} are kept, up to ${maxBytes / 2 ** 20} MiB.`,
  };
}
