import { describeIssues, type UnreadableItem } from '@ssb/market';
import type { LeftOut, Unreadable } from '../detection/detection.js';
import { UnusableResponseError } from './poll-failures.js';

/** A document, such as a calculation or a statement, that could not be used. */
export interface UnusableDocument {
  /** Identifies the document within its interface, in every response; undefined for the list of all. */
  readonly document: string | undefined;
  /** One sentence, without payload and secrets. */
  readonly detail: string;
}

/** What a poll found out about its interface. */
export interface PollResult {
  /** Whether a response could be used, also in part. */
  readonly hasUsableResponse: boolean;
  /** Failures of this poll, although other requests had responses. */
  readonly failures: readonly unknown[];
  /** Documents that could not be used, now or earlier, and that no usable ones replaced since. */
  readonly unusable: readonly UnusableDocument[];
  /** Whether a document that was unusable under an earlier leader is usable now, or no longer requested. */
  readonly isReadable: (document: string) => boolean;
  /** What a bound left out of the facts, now or earlier, and still leaves out. One sentence each. */
  readonly leftOut: readonly string[];
}

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
