import { createHash } from 'node:crypto';
import {
  toUuidV4,
  type DeliveredProblem,
  type DeliveredSilence,
  type ProblemDelivery,
  type ProblemDeliveryDetails,
} from '@ssb/events';
import type { DeliveryKind, WithheldReason } from '../../domain/delivery-kind.js';
import type { Problem } from '../../problems/domain/problem.js';

/** A message for one sink with a body of its own, about the newest event of a problem. */
export interface ProblemMessage {
  /** The id that the sink sees. */
  readonly id: string;
  readonly sink: string;
  readonly kind: DeliveryKind;
  readonly problem: Problem;
  readonly details: ProblemDeliveryDetails;
  readonly withheld: WithheldReason | undefined;
}

const KINDS: Readonly<Record<ProblemDelivery, DeliveryKind>> = {
  reminder: 'reminder',
  escalation: 'escalation',
  acknowledged: 'notice',
  closed: 'notice',
  'silence-began': 'notice',
  'silence-ended': 'notice',
};

export interface NewProblemMessage {
  readonly delivery: ProblemDelivery;
  readonly sink: string;
  readonly problem: Problem;
  /** Of a reminder or an escalation: how many of them about the problem the sink had, and one more. Of a silence its number. Else the number of the change. */
  readonly number: number;
  /** By the clock of the database. */
  readonly now: Date;
  readonly withheld?: WithheldReason | undefined;
  /** The silence that hides the problem. */
  readonly silence?: DeliveredSilence;
}

/** The id follows from the arguments, so that two replicas cannot add the same message twice. */
export function createProblemMessage({
  delivery,
  sink,
  problem,
  number,
  now,
  withheld,
  silence,
}: NewProblemMessage): ProblemMessage {
  const parts = JSON.stringify([delivery, problem.problemId, sink, number]);
  const kind = KINDS[delivery];
  return {
    id: toUuidV4(createHash('sha256').update(parts).digest()),
    sink,
    kind,
    problem,
    details: {
      delivery,
      time: now.toISOString(),
      ...(kind !== 'notice' && { number }),
      ...(silence && { silence }),
      problem: describeProblem(problem),
    },
    withheld,
  };
}

function describeProblem(problem: Problem): DeliveredProblem {
  const { level, worstLevel, acknowledged, closed, endedAt } = problem;
  return {
    id: problem.problemId,
    kind: problem.kind,
    state: problem.state,
    severity: problem.severity,
    worstSeverity: problem.worstSeverity,
    ...(level !== undefined && { level }),
    ...(worstLevel !== undefined && { worstLevel }),
    since: problem.since,
    openedAt: problem.openedAt.toISOString(),
    worsened: problem.worsened,
    figures: problem.figures,
    worstFigures: problem.worstFigures,
    ...(acknowledged && { acknowledged: toDecision(acknowledged.at, acknowledged) }),
    ...(closed && endedAt && { closed: toDecision(endedAt, closed) }),
  };
}

function toDecision(
  at: Date,
  { by, comment }: { readonly by: string; readonly comment: string | undefined },
): NonNullable<DeliveredProblem['acknowledged']> {
  return { at: at.toISOString(), by, ...(comment ? { comment } : {}) };
}
