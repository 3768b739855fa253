import { describeIssues, type UnreadableItem } from '@ssb/market';
import type { LeftOut, Unreadable } from '../detection/detection.js';
import { UnusableAnswerError } from '../poll-failures.js';

/** An element of an answer that breaks document 000. */
export function toUnreadable({ path, issues }: UnreadableItem): Unreadable {
  return { path, reason: describeIssues(issues) };
}

/** One error for all unreadable parts of an answer; none when it is complete. It names the first part. */
export function toErrors(subject: string, unreadable: readonly Unreadable[]): UnusableAnswerError[] {
  const [first] = unreadable;
  if (first === undefined) return [];
  const others = unreadable.length > 1 ? ` (and ${unreadable.length - 1} more)` : '';
  return [new UnusableAnswerError(subject, `${first.path}: ${first.reason}${others}`)];
}

/** One sentence for each bound that left something out of an answer. */
export function describeLeftOut(subject: string, leftOut: readonly LeftOut[] = []): string[] {
  return leftOut.map(
    ({ what, count, kept, range }) =>
      `${subject}: ${count} ${what} left out, ${kept} kept${range === undefined ? '' : ` (${range})`}`,
  );
}
