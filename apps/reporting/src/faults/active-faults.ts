import { Injectable } from '@nestjs/common';
import type { ActiveFault, Fault } from '@ssb/market/admin';
import { Metrics } from '@ssb/platform';
import { endTime, hasEnded, matchesTarget, type FaultTarget, type InjectedFault } from './injected-fault.js';
import { METRICS } from '../metrics.js';

const MAX_FAULTS = 100;

/** An active fault must end or be cleared before another is set. */
export class TooManyFaultsError extends Error {
  override readonly name = 'TooManyFaultsError';

  constructor(readonly max = MAX_FAULTS) {
    super(`${max} faults are active already`);
  }
}

/** The active faults of this process, in the order set. A restart ends them, and each replica has its own. */
@Injectable()
export class ActiveFaults {
  private readonly active = new Map<number, InjectedFault>();
  private lastId = 0;
  private readonly applied;

  constructor(metrics: Metrics) {
    this.applied = metrics.counter(METRICS.faultsApplied);
    const count = (): number => this.list().length;
    metrics.gauge(METRICS.faults, (gauge) => {
      gauge.set(count());
    });
  }

  /** Every request reads it, so it only compares a number. */
  get isEmpty(): boolean {
    return this.active.size === 0;
  }

  /** @throws TooManyFaultsError */
  set(fault: Fault): ActiveFault {
    this.removeEnded();
    if (this.active.size >= MAX_FAULTS) throw new TooManyFaultsError();
    const injected: InjectedFault = { id: ++this.lastId, fault, setAt: Date.now(), applied: 0 };
    this.active.set(injected.id, injected);
    return toActiveFault(injected);
  }

  list(): ActiveFault[] {
    this.removeEnded();
    return [...this.active.values()].map(toActiveFault);
  }

  /** Returns whether the fault was still active. */
  clear(id: number): boolean {
    this.removeEnded();
    return this.active.delete(id);
  }

  /** Returns how many faults were still active. */
  clearAll(): number {
    const count = this.list().length;
    this.active.clear();
    return count;
  }

  /** The faults that match a request, in the order set. */
  findMatching(target: FaultTarget): InjectedFault[] {
    this.removeEnded();
    return [...this.active.values()].filter((injected) => matchesTarget(injected, target));
  }

  /** Counts one application; false when the fault has ended meanwhile and must not be applied. */
  claim(injected: InjectedFault): boolean {
    if (this.active.get(injected.id) !== injected || hasEnded(injected, Date.now())) return false;
    injected.applied += 1;
    this.applied.inc({ kind: injected.fault.kind });
    return true;
  }

  private removeEnded(): void {
    const now = Date.now();
    for (const injected of this.active.values()) if (hasEnded(injected, now)) this.active.delete(injected.id);
  }
}

function toActiveFault(injected: InjectedFault): ActiveFault {
  const { id, fault, applied } = injected;
  const end = endTime(injected);
  return { id, fault, applied, ...(end !== undefined && { endsAt: new Date(end).toISOString() }) };
}
