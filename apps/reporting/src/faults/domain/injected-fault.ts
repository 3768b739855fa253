import type { Trouble } from '@ssb/market';

/** A fault as it was set. Times are epoch milliseconds. */
export interface InjectedFault {
  readonly id: number;
  readonly trouble: Trouble;
  readonly setAt: number;
  /** Answers altered so far. */
  applied: number;
}

/** The part of a request that decides whether a fault hits it. */
export interface FaultTarget {
  /** Undefined for an unknown caller. */
  readonly participant: string | undefined;
  /** The path that the request was routed by, without the query. */
  readonly path: string;
}

/** When a fault ends by time; undefined where it is bounded by a count alone. */
export function endOf({ trouble, setAt }: InjectedFault): number | undefined {
  return trouble.forSeconds === undefined ? undefined : setAt + trouble.forSeconds * 1000;
}

/** Whether either bound of a fault is reached. */
export function isOver(fault: InjectedFault, now: number): boolean {
  const end = endOf(fault);
  const { times } = fault.trouble;
  return (end !== undefined && now >= end) || (times !== undefined && fault.applied >= times);
}

/** Whether a fault that is not over hits this request. */
export function hits({ trouble }: InjectedFault, { participant, path }: FaultTarget): boolean {
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
