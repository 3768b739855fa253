import type { AuditRow } from '../../api/operations.js';
import { groupBy } from '../../format/group-by.js';
import { capitalize, toWords } from '../../format/names.js';

/** What a person requested, and how it ended: records of the log that belong together. */
export interface AuditedAction {
  readonly key: string;
  /** The newest record. */
  readonly last: AuditRow;
  /** The record of the request; the newest one when it was not read. */
  readonly first: AuditRow;
  readonly comment: string | undefined;
}

/** @param rows the newest first */
export function foldActions(rows: readonly AuditRow[]): readonly AuditedAction[] {
  const groups = groupBy(rows, ({ id, requestId, actionId }) => requestId ?? actionId ?? `record ${id}`);
  return [...groups].map(([key, records]) => {
    const [last, ...others] = records as readonly [AuditRow, ...AuditRow[]];
    const comment = records.find((record) => record.comment !== undefined)?.comment;
    return { key, last, first: others.at(-1) ?? last, comment };
  });
}

const WORDS: Readonly<Record<string, string>> = {
  acknowledge: 'Acknowledge a problem',
  close: 'Close a problem',
  silence: 'Begin a silence',
  'end-silence': 'End a silence',
  'rebuild-problems': 'Rebuild the problems',
  resend: 'Resend deliveries',
  skip: 'Skip deliveries',
  replay: 'Replay events for a sink',
  test: 'Test a sink',
  'enable-sink': 'Enable a sink',
  'disable-sink': 'Disable a sink',
  'recheck-quarantine': 'Evaluate the quarantine again',
  'retry-dead-letter': 'Retry a dead letter',
  'retry-dead-letters': 'Retry dead letters',
  'remove-dead-letter': 'Remove a dead letter',
  'start-backfill': 'Start a backfill',
  'cancel-backfill': 'Cancel a backfill',
};

/** Kinds of requests and actions that the API records. */
export const KINDS: readonly string[] = Object.keys(WORDS);

/** What was requested. A kind of a later release stays as it is. */
export const describeKind = (kind: string): string =>
  Object.hasOwn(WORDS, kind) ? (WORDS[kind] ?? kind) : capitalize(toWords(kind));
