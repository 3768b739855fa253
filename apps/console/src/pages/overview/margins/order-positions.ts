import type { ParticipantPosition } from '../../../api/operations.js';
import { compareAmounts } from '../../../format/amount.js';

/** Up to so many participants have cards. */
const MAX_CARDS = 4;
/** Of more participants the worst ones have cards: at least three, and those that need attention. */
const MIN_WORST = 3;
const MAX_WORST = 6;

/** An unknown margin is worse than a good one. */
const RANKS = ['BREACHED', 'WARNING', undefined, 'OK'];

/** The worst first: by level, then by what is left above the breach threshold. */
export function sortPositions(positions: readonly ParticipantPosition[]): readonly ParticipantPosition[] {
  return positions.toSorted(
    (one, other) =>
      rankOf(one) - rankOf(other) ||
      compareHeadroom(one, other) ||
      (one.participant < other.participant ? -1 : 1),
  );
}

/** Which participants have cards, and which have rows. @param sorted the worst first */
export function splitPositions(sorted: readonly ParticipantPosition[]): {
  readonly cards: readonly ParticipantPosition[];
  readonly rows: readonly ParticipantPosition[];
} {
  if (sorted.length <= MAX_CARDS) return { cards: sorted, rows: [] };
  const attention = sorted.filter(({ latest }) => latest?.level !== 'OK').length;
  const count = Math.min(Math.max(attention, MIN_WORST), MAX_WORST);
  return { cards: sorted.slice(0, count), rows: sorted.slice(count) };
}

const rankOf = ({ latest }: ParticipantPosition): number => RANKS.indexOf(latest?.level);

function compareHeadroom(one: ParticipantPosition, other: ParticipantPosition): number {
  const [left, right] = [headroomOf(one), headroomOf(other)];
  if (left === undefined || right === undefined) return 0;
  return compareAmounts(left, right);
}

const headroomOf = ({ latest }: ParticipantPosition): string | undefined =>
  latest?.thresholds?.headroomToBreach;
