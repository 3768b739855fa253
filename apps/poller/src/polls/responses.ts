import { describeIssues, type UnreadableItem } from '@ssb/market';
import type { LeftOut, Unreadable } from '../detection/detection.js';
import { UnusableResponseError } from './poll-failures.js';
import type { UnusableDocument } from './poll-result.js';

/** An element of a response that breaks document 000. */
export function toUnreadable({ path, issues }: UnreadableItem, document?: string): Unreadable {
  return { path, reason: describeIssues(issues), ...(document !== undefined && { document }) };
}

/** The documents with unreadable parts. Each names its first part. */
export function toUnusable(unreadable: readonly Unreadable[], others: string): UnusableDocument[] {
  const byDocument = new Map<string, Unreadable[]>();
  for (const part of unreadable) {
    const document = part.document ?? others;
    const parts = byDocument.get(document) ?? [];
    parts.push(part);
    byDocument.set(document, parts);
  }
  return [...byDocument].flatMap(([document, parts]) =>
    toErrors(document, parts).map(({ message }) => ({ document, detail: message })),
  );
}

/** One error for all unreadable parts of a response; none when it is complete. It names the first part. */
export function toErrors(subject: string, unreadable: readonly Unreadable[]): UnusableResponseError[] {
  const [first] = unreadable;
  if (first === undefined) return [];
  const others = unreadable.length > 1 ? ` (and ${unreadable.length - 1} more)` : '';
  return [new UnusableResponseError(subject, `${first.path}: ${first.reason}${others}`)];
}

/** One sentence for each bound that left something out of a response. */
export function describeLeftOut(subject: string, leftOut: readonly LeftOut[] = []): string[] {
  return leftOut.map(
    ({ what, count, kept, range }) =>
      `${subject}: ${count} ${what} left out, ${kept} kept${range === undefined ? '' : ` (${range})`}`,
  );
}
