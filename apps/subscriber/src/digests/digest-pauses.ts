import { isMuted, tryParseDuration, type OperatorConfig } from '@ssb/config';

export interface WaitingNotices {
  readonly sink: string;
  /** When the first of them was archived, by the clock of the database. */
  readonly since: Date;
  /** One of them is critical. */
  readonly isCritical: boolean;
}

/** The database counts microseconds, of which a Date loses the last three digits. */
const ROUNDING_MS = 1;
const MINUTE_MS = 60_000;

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
  // Windows end with a minute.
  if (sending.length === 0) return new Date((Math.floor(now.getTime() / MINUTE_MS) + 1) * MINUTE_MS);
  const pauses = sending.map(({ group = '' }) => tryParseDuration(group) ?? 0);
  return new Date(since.getTime() + Math.min(...pauses) + ROUNDING_MS);
}
