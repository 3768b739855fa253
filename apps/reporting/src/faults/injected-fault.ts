import type { Fault } from '@ssb/market/admin';

/** A fault that was set. Times are epoch milliseconds. */
export interface InjectedFault {
  readonly id: number;
  readonly fault: Fault;
  readonly setAt: number;
  /** Responses altered so far. */
  applied: number;
}

/** The part of a request that a fault is matched against. */
export interface FaultTarget {
  /** Undefined for an unknown caller. */
  readonly participant: string | undefined;
  /** The path by which the request was routed, without the query. */
  readonly path: string;
}

/** When the fault ends by time; undefined when only a count bounds it. */
export function endTime({ fault, setAt }: InjectedFault): number | undefined {
  return fault.forSeconds === undefined ? undefined : setAt + fault.forSeconds * 1000;
}

/** Whether either bound of the fault is reached. */
export function hasEnded(injected: InjectedFault, now: number): boolean {
  const end = endTime(injected);
  const { times } = injected.fault;
  return (end !== undefined && now >= end) || (times !== undefined && injected.applied >= times);
}

/** Whether participant and path of the fault match the request. */
export function matchesTarget({ fault }: InjectedFault, { participant, path }: FaultTarget): boolean {
  if (fault.participant !== undefined && fault.participant !== participant) return false;
  return fault.path === undefined || matchesPath(fault.path, path);
}

/** Compares by segment: `*` matches any one segment, a final `**` any number of them, including none. */
export function matchesPath(pattern: string, path: string): boolean {
  const expected = pattern.split('/');
  const actual = path.split('/');
  const isOpen = expected.at(-1) === '**';
  if (isOpen) expected.pop();
  if (isOpen ? actual.length < expected.length : actual.length !== expected.length) return false;
  return expected.every((segment, index) => segment === '*' || segment === actual[index]);
}
