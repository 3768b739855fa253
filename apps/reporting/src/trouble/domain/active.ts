import type { Trouble } from '@ssb/market';

/** A trouble as it stands at some moment. Times are epoch milliseconds. */
export interface Standing {
  readonly trouble: Trouble;
  readonly setAt: number;
  /** Answers spoilt so far. */
  readonly applied: number;
}

/** Who asks for what, as far as a trouble looks at it. */
export interface Asked {
  /** Absent where the caller is nobody that the door knows. */
  readonly participant: string | undefined;
  /** The path that the request was routed by, without the query. */
  readonly path: string;
}

/** When a trouble ends by time; undefined where it is bounded by a count alone. */
export function endOf({ trouble, setAt }: Standing): number | undefined {
  return trouble.forSeconds === undefined ? undefined : setAt + trouble.forSeconds * 1000;
}

/** Whether either bound of a trouble is reached. */
export function isOver(standing: Standing, now: number): boolean {
  const end = endOf(standing);
  const { times } = standing.trouble;
  return (end !== undefined && now >= end) || (times !== undefined && standing.applied >= times);
}

/** Whether a trouble that is not over hits this request. */
export function hits({ trouble }: Standing, { participant, path }: Asked): boolean {
  if (trouble.participant !== undefined && trouble.participant !== participant) return false;
  return trouble.path === undefined || matchesPath(trouble.path, path);
}

/** Segment by segment: `*` is any one segment, a `**` at the end any number of them, none included. */
export function matchesPath(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  const open = wanted.at(-1) === '**';
  if (open) wanted.pop();
  if (open ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((segment, index) => segment === '*' || segment === given[index]);
}
