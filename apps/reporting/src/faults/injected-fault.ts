import type { Fault } from '@ssb/market-admin';

/** A fault as it was set. Times are epoch milliseconds. */
export interface InjectedFault {
  readonly id: number;
  readonly fault: Fault;
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
export function endOf({ fault, setAt }: InjectedFault): number | undefined {
  return fault.forSeconds === undefined ? undefined : setAt + fault.forSeconds * 1000;
}

/** Whether either bound of a fault is reached. */
export function isOver(fault: InjectedFault, now: number): boolean {
  const end = endOf(fault);
  const { times } = fault.fault;
  return (end !== undefined && now >= end) || (times !== undefined && fault.applied >= times);
}

/** Whether a fault that is not over hits this request. */
export function hits({ fault }: InjectedFault, { participant, path }: FaultTarget): boolean {
  if (fault.participant !== undefined && fault.participant !== participant) return false;
  return fault.path === undefined || matchesPath(fault.path, path);
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
