import { createHash } from 'node:crypto';
import {
  describeProblemKind,
  toUuidV4,
  type ProblemKind,
  type ProblemLevel,
  type ProblemSignal,
  type Severity,
} from '@ssb/events';
import type { ProblemState } from '../../domain/delivery-kind.js';

/*
 * A problem is a state that lasts. It is derived from the archive and from what people request.
 *
 *   open          An event opened it, or made it more severe after a person had acknowledged it.
 *   acknowledged  A person knows of it.
 *   resolved      An event ended it.
 *   closed        A person ended it.
 *
 * open → acknowledged → open; open | acknowledged → resolved | closed. The next event opens another problem, unless one of a kind that
 * stays closed was closed.
 */

export type Figures = ProblemSignal['figures'];

/** A position in the archive. Beyond 2^53 it is a bigint. */
export type ArchiveOffset = number | bigint;

export interface Problem {
  readonly problemId: string;
  readonly kind: ProblemKind;
  readonly key: string;
  readonly participant: string;
  readonly state: ProblemState;
  readonly severity: Severity;
  /** The highest that it has had. */
  readonly worstSeverity: Severity;
  readonly level: ProblemLevel | undefined;
  readonly worstLevel: ProblemLevel | undefined;
  readonly closedByPerson: boolean;
  /** Time of the fact that opened it, RFC 3339 with offset. */
  readonly since: string;
  readonly openedAt: Date;
  readonly changedAt: Date;
  /** How often it became worse. */
  readonly worsened: number;
  /** Of the newest event. */
  readonly figures: Figures;
  /** Of the worst event. */
  readonly worstFigures: Figures;
  readonly worstMeasure: string | undefined;
  /** The last event that was applied to it. */
  readonly eventId: string;
  readonly archiveOffset: ArchiveOffset;
  readonly acknowledged: PersonsDecision | undefined;
  readonly endedAt: Date | undefined;
  readonly closed: Omit<PersonsDecision, 'at'> | undefined;
  /** Number of its changes. */
  readonly changes: number;
}

/** Who acknowledged or closed a problem. */
export interface PersonsDecision {
  readonly at: Date;
  readonly by: string;
  readonly comment: string | undefined;
}

export const PROBLEM_CHANGE_KINDS = [
  'opened',
  'worsened',
  'lowered',
  'updated',
  'acknowledged',
  'resolved',
  'closed',
] as const;
export type ProblemChangeKind = (typeof PROBLEM_CHANGE_KINDS)[number];

/** One entry of a problem's history. Either an event or a request caused it. */
export interface ProblemChange {
  readonly problemId: string;
  /** Counts the changes of the problem from 1. */
  readonly number: number;
  readonly kind: ProblemChangeKind;
  readonly at: Date;
  readonly eventId?: string;
  readonly requestId?: ArchiveOffset;
  readonly severity: Severity;
  readonly level: ProblemLevel | undefined;
  readonly figures?: Figures;
}

/** Names the problem among the open ones. */
export interface ProblemKey {
  readonly kind: ProblemKind;
  readonly key: string;
}

/** Text that is equal for equal keys. */
export const toKeyText = ({ kind, key }: ProblemKey): string => `${kind} ${key}`;

/** Whether no later event opens another problem of the key once a person has closed it. */
export const staysClosed = ({ kind }: Pick<ProblemKey, 'kind'>): boolean =>
  describeProblemKind(kind).staysClosed === true;

/** The id of the problem that an event opens. It follows from the archive, so that it is the same when the problem is derived again. */
export function problemIdOf({ kind, key }: ProblemKey, openingEventId: string): string {
  const parts = JSON.stringify([kind, key, openingEventId]);
  return toUuidV4(createHash('sha256').update(parts).digest());
}
