import type { SilenceMatchers } from '../../api/operations.js';
import { formatDuration, formatTime } from '../../format/market-time.js';
import { toWords } from '../../format/names.js';
import { countOf } from '../../format/count.js';
import { describeMatchers } from '../problems/silences/silence-matchers.js';

/** Members that say nothing to a person. The page has links and ids elsewhere. */
const HIDDEN: ReadonlySet<string> = new Set(['id', 'problemId', 'silenceId', 'archiveOffset', 'state', 'at']);

/** Members whose values need more than their name. */
const DESCRIBED: Readonly<Record<string, (value: never) => string>> = {
  matchers: (value: SilenceMatchers) => `covers ${describeMatchers(value)}`,
  seconds: (value: number) => `for ${formatDuration(value * 1_000)}`,
  durationMs: (value: number) => `took ${value.toLocaleString('en-AU')} ms`,
  ids: (value: readonly string[]) => countOf(value.length, 'message'),
  events: (value: readonly string[]) => countOf(value.length, 'message'),
  sink: (value: string) => `sink ${value}`,
};

/**
 * Members of a record in words, such as `sink treasury; for 1 h`. Absent ones and ids are left out; times are those of the market.
 * @param members parameters or result of a request
 */
export function describeMembers(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .filter(([name, value]) => !HIDDEN.has(name) && value !== undefined && value !== null && value !== '')
    .map(([name, value]) => describeMember(name, value))
    .join('; ');
}

function describeMember(name: string, value: unknown): string {
  try {
    const describe = Object.hasOwn(DESCRIBED, name) ? DESCRIBED[name] : undefined;
    if (describe) return describe(value as never);
  } catch {
    // A record of another release can have another kind of value.
  }
  return `${toWords(name)}: ${describeValue(value)}`;
}

const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/;

function describeValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(describeValue).join(', ');
  if (typeof value !== 'string') return JSON.stringify(value);
  return TIME.test(value) ? formatTime(value) : value;
}
