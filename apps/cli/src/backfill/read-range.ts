import { findRangeProblem, marketDateOf, type BackfillRange } from '@ssb/redis-queue';

export interface RangeOptions {
  readonly participant?: string | undefined;
  readonly from?: string;
  readonly to?: string;
  readonly dryRun: boolean;
  readonly cancel: boolean;
}

/**
 * Reads the range that the options name. Returns a sentence that says why when they cannot be used.
 * @param codes participants of CONFIG_FILE
 */
export function readRange(
  options: RangeOptions,
  codes: readonly string[],
  now: Date,
): BackfillRange | string {
  const participant = options.participant ?? (codes.length === 1 ? codes[0] : undefined);
  if (participant === undefined)
    return `CONFIG_FILE has ${codes.length} participants: choose one with --participant, such as ${codes[0]}.`;
  if (!codes.includes(participant))
    return `${participant} is not in participants of CONFIG_FILE. Give one of them.`;
  const today = marketDateOf(now);
  const { from = options.cancel ? today : undefined, to = today, dryRun } = options;
  if (from === undefined) return 'Give the first market date with --from, such as --from 2026-01-01.';
  return findRangeProblem({ from, to }, now, '--') ?? { participant, from, to, dryRun };
}
