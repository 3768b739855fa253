import type { BackfillRange } from '@ssb/redis-queue';

export interface RangeOptions {
  readonly participant?: string | undefined;
  readonly from?: string;
  readonly to?: string;
  readonly dryRun: boolean;
  readonly cancel: boolean;
}

/** The operator serves adjustments for about a year, and two years of records are more than a request budget allows at once. */
const MAX_DAYS = 800;
const DAY_MS = 86_400_000;
/** Market time, UTC+8. */
const MARKET_OFFSET_MS = 8 * 3_600_000;

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
  const today = new Date(now.getTime() + MARKET_OFFSET_MS).toISOString().slice(0, 10);
  const { from = options.cancel ? today : undefined, to = today, dryRun } = options;
  if (from === undefined) return 'Give the first market date with --from, such as --from 2026-01-01.';
  for (const [name, date] of Object.entries({ from, to }))
    if (!isDate(date)) return `--${name} is ${date}; it must be a date that exists, such as 2026-01-01.`;
  if (from > to) return `--from ${from} is after --to ${to}.`;
  if (to > today) return `--to ${to} is in the future; the market date is ${today}.`;
  if ((Date.parse(to) - Date.parse(from)) / DAY_MS >= MAX_DAYS)
    return `The range has more than ${MAX_DAYS} days; divide it.`;
  return { participant, from, to, dryRun };
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return (
    /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
  );
}
