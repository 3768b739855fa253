import type { ArchiveOffset, Problem } from './problem.js';

/** What a person requests about a problem. */
export interface ProblemRequest {
  readonly requestId: ArchiveOffset;
  readonly kind: 'acknowledge' | 'close';
  readonly author: string;
  readonly comment: string | undefined;
  /** When it is carried out. It is also stored as the end of the request. */
  readonly at: Date;
}

/** A refused request changes nothing. The reason says what is wrong and what is allowed. */
export type RequestDecision =
  | { readonly outcome: 'done'; readonly problem: Problem }
  | { readonly outcome: 'refused'; readonly reason: string };

const refuse = (reason: string): RequestDecision => ({ outcome: 'refused', reason });

/** Decides what a request does to a problem. */
export function decideRequest(problem: Problem | undefined, request: ProblemRequest): RequestDecision {
  if (problem === undefined)
    return refuse('There is no problem with this id. `busbridge problems list` shows the ids.');
  const ended = describeEnd(problem);
  if (ended !== undefined) return refuse(ended);
  return request.kind === 'acknowledge' ? acknowledge(problem, request) : close(problem, request);
}

function acknowledge(problem: Problem, { author, comment, at }: ProblemRequest): RequestDecision {
  const { acknowledged } = problem;
  if (acknowledged !== undefined)
    return refuse(
      `${acknowledged.by} acknowledged the problem at ${acknowledged.at.toISOString()}. Close it, or wait for its end.`,
    );
  return {
    outcome: 'done',
    problem: {
      ...problem,
      state: 'acknowledged',
      changedAt: at,
      acknowledged: { at, by: author, comment },
      changes: problem.changes + 1,
    },
  };
}

function close(problem: Problem, { author, comment, at }: ProblemRequest): RequestDecision {
  if (comment === undefined || comment.trim() === '')
    return refuse('A problem is closed with a comment that says why. Request it again with a comment.');
  return {
    outcome: 'done',
    problem: {
      ...problem,
      state: 'closed',
      changedAt: at,
      endedAt: at,
      closed: { by: author, comment },
      changes: problem.changes + 1,
    },
  };
}

function describeEnd({ state, endedAt, closed }: Problem): string | undefined {
  const at = endedAt?.toISOString() ?? '';
  if (state === 'resolved')
    return `An event resolved the problem at ${at}. Only an open problem is acknowledged or closed.`;
  if (state === 'closed')
    return `${closed?.by ?? 'A person'} closed the problem at ${at}. Only an open problem is acknowledged or closed.`;
  return undefined;
}
