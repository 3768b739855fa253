import { findSilenceIssue, maxSilenceMs, type OperatorConfig, type SilenceMatchers } from '@ssb/config';
import { endOf, type Silence } from './silence.js';

/** Each batch of events is compared with all of them. */
export const MAX_OPEN_SILENCES = 100;
const MAX_DAYS_AHEAD = 90;
const DAY_MS = 24 * 3_600_000;

export interface NewSilence {
  readonly matchers: SilenceMatchers;
  /** Undefined: now. */
  readonly startsAt: Date | undefined;
  readonly endsAt: Date | undefined;
  /** Instead of `endsAt`. */
  readonly seconds: number | undefined;
  readonly comment: string | undefined;
}

export interface SilenceContext {
  readonly config: Pick<OperatorConfig, 'alerts' | 'participants'>;
  /** By the clock of the database. */
  readonly now: Date;
  /** Silences that are not over. */
  readonly open: number;
}

export type SilenceDecision =
  | { readonly outcome: 'done'; readonly startsAt: Date; readonly endsAt: Date; readonly comment: string }
  | { readonly outcome: 'refused'; readonly reason: string };

const refused = (reason: string): SilenceDecision => ({ outcome: 'refused', reason });

/** Whether people may have this silence, and when it starts and ends. */
export function decideSilence(requested: NewSilence, { config, now, open }: SilenceContext): SilenceDecision {
  const { matchers, comment, seconds } = requested;
  const startsAt = requested.startsAt === undefined || requested.startsAt < now ? now : requested.startsAt;
  const endsAt = requested.endsAt ?? new Date(startsAt.getTime() + (seconds ?? 0) * 1_000);
  const lengthMs = endsAt.getTime() - startsAt.getTime();
  const maxMs = maxSilenceMs(config);
  if (comment === undefined) return refused('Say in the comment why the deliveries are withheld.');
  const issue = findSilenceIssue(config, matchers);
  if (issue !== undefined) return refused(issue);
  if (endsAt <= now)
    return refused(`The silence would end at ${endsAt.toISOString()}, which is over. Give a later end.`);
  if (lengthMs <= 0)
    return refused(
      `The silence would end at ${endsAt.toISOString()}, not after its start at ${startsAt.toISOString()}. Give a later end.`,
    );
  if (lengthMs > maxMs)
    return refused(
      `The silence would last ${describeLength(lengthMs)}; alerts.maxSilence allows ${describeLength(maxMs)}. Give an earlier end, and add another silence when it is over.`,
    );
  if (startsAt.getTime() - now.getTime() > MAX_DAYS_AHEAD * DAY_MS)
    return refused(`The silence would start in more than ${MAX_DAYS_AHEAD} days. Add it later.`);
  if (open >= MAX_OPEN_SILENCES)
    return refused(
      `There are ${open} silences already, as many as are allowed. End one that is not needed first.`,
    );
  return { outcome: 'done', startsAt, endsAt, comment };
}

/** Why a person cannot end the silence, in one sentence; undefined when it can be ended. */
export function findEndIssue(silence: Silence | undefined, now: Date): string | undefined {
  if (silence === undefined)
    return 'There is no silence with this number. "busbridge silences list --all" shows the numbers.';
  const end = endOf(silence);
  return end <= now ? `The silence ended at ${end.toISOString()}.` : undefined;
}

const UNITS = [
  ['d', DAY_MS],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** In the two largest units, as in `8d 2h`. */
function describeLength(ms: number): string {
  let rest = ms;
  const parts = UNITS.flatMap(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? [] : [`${count}${unit}`];
  });
  return parts.slice(0, 2).join(' ');
}
