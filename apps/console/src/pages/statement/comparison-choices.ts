import type { CalendarRow, StatementDetail } from '../../api/operations.js';
import { compareDesignations } from '../calendar/calendar-grid.js';

export interface ComparisonChoice {
  /** Value of `against`: the id of an event or of a run. */
  readonly id: string;
  readonly kind: 'version' | 'run';
  /** Of a version: when it was published. */
  readonly publishedAt: string | undefined;
  readonly designation: string;
}

/**
 * What a version can be compared with: the other versions of its run, then the other runs of its period.
 * @param runs of the participant and market
 * @param comparedId id of the event of the version
 */
export function listChoices(
  statement: StatementDetail,
  runs: readonly CalendarRow[],
  comparedId: string | undefined,
): readonly ComparisonChoice[] {
  const versions = statement.versions
    .filter(({ eventId }) => eventId !== comparedId)
    .map(({ eventId, publishedAt }) => ({
      id: eventId,
      kind: 'version' as const,
      publishedAt,
      designation: statement.designation,
    }));
  const others = runs
    .filter(
      ({ id, periodFrom, payment }) =>
        id !== statement.id && periodFrom === statement.periodFrom && payment !== undefined,
    )
    .toSorted((one, other) => compareDesignations(one.designation, other.designation))
    .map(({ id, publishedAt, designation }) => ({ id, kind: 'run' as const, publishedAt, designation }));
  return [...versions, ...others];
}
