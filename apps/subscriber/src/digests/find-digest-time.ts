import { isMuted, type OperatorConfig } from '@ssb/config';
import { endOfPause, startOfNextMinute } from '../domain/pauses.js';

export interface WaitingNotices {
  readonly sink: string;
  /** When the first of them was archived, by the clock of the database. */
  readonly since: Date;
  /** One of them is critical. */
  readonly isCritical: boolean;
}

/**
 * When the grouped notices of a sink are sent: after the shortest `group` of the rules that name it. A muted rule sends nothing, so they
 * wait for the end of its window. Without such a rule, as after a change of the configuration, they are sent now.
 */
export function findDigestTime(
  { alerts }: Pick<OperatorConfig, 'alerts'>,
  { sink, since, isCritical }: WaitingNotices,
  now: Date,
): Date {
  const grouping = alerts.rules.filter(({ group, sinks }) => group !== undefined && sinks.includes(sink));
  if (grouping.length === 0) return since;
  const sending = grouping.filter(
    ({ mute = [], withholdCritical = [] }) =>
      (isCritical && !withholdCritical.includes('mute')) || !isMuted(mute, now),
  );
  if (sending.length === 0) return startOfNextMinute(now);
  const ends = sending.map(({ group = '' }) => endOfPause(since, group).getTime());
  return new Date(Math.min(...ends));
}
