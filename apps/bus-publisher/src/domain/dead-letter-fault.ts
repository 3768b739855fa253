import { ALL_PARTICIPANTS, type DetectedEvent } from '@ssb/events';
import type { Fault } from '@ssb/operational-alerts';

const MAX_PARTICIPANT_LENGTH = 60;
const MAX_NAME_LENGTH = 100;
const MAX_DETAIL_LENGTH = 500;

/** The fault of an event that cannot be published. Such an event may lack any field. */
export function deadLetterFault(
  { id, type, participant }: Partial<DetectedEvent>,
  channel: string | undefined,
  reason: string,
): Fault {
  const isKnown =
    typeof participant === 'string' && participant !== '' && participant.length <= MAX_PARTICIPANT_LENGTH;
  const name = `${String(type).slice(0, MAX_NAME_LENGTH)} ${String(id).slice(0, MAX_NAME_LENGTH)}`;
  return {
    reason: 'dead-letter',
    participant: isKnown ? participant : ALL_PARTICIPANTS,
    channel,
    detail: `${name}: ${reason}`.slice(0, MAX_DETAIL_LENGTH),
  };
}
