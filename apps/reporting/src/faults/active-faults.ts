import { Injectable } from '@nestjs/common';
import type { ActiveFault, Fault } from '@ssb/market-admin';
import { Metrics } from '@ssb/platform';
import { endOf, type FaultTarget, hits, type InjectedFault, isOver } from './injected-fault.js';

/** Faults that may be active at once. */
const MAX_FAULTS = 100;

/** One fault must end, or be cleared, before the next. */
export class TooManyFaultsError extends Error {
  override readonly name = 'TooManyFaultsError';

  constructor(readonly most = MAX_FAULTS) {
    super(`${most} faults are active already`);
  }
}

/**
 * The faults that are active in this process, in the order in which they were set. They are kept in memory: a restart ends them,
 * and each replica has its own.
 */
@Injectable()
export class ActiveFaults {
  private readonly active = new Map<number, InjectedFault>();
  private lastId = 0;
  private readonly applied;

  constructor(metrics: Metrics) {
    this.applied = metrics.counter({
      name: 'reporting_troubles_applied_total',
      help: 'Answers to participants that an injected fault altered, by kind of fault',
      labelNames: ['kind'],
    });
    const count = (): number => this.list().length;
    metrics.gauge({
      name: 'reporting_faults',
      help: 'Injected faults that are active',
      collect() {
        this.set(count());
      },
    });
  }

  /** Checked by every request, so it only compares a number. */
  get isEmpty(): boolean {
    return this.active.size === 0;
  }

  /** @throws TooManyFaultsError */
  set(fault: Fault): ActiveFault {
    this.removeEnded();
    if (this.active.size >= MAX_FAULTS) throw new TooManyFaultsError();
    const injected: InjectedFault = { id: ++this.lastId, fault, setAt: Date.now(), applied: 0 };
    this.active.set(injected.id, injected);
    return shown(injected);
  }

  list(): ActiveFault[] {
    this.removeEnded();
    return [...this.active.values()].map(shown);
  }

  /** Whether it was still active. */
  clear(id: number): boolean {
    this.removeEnded();
    return this.active.delete(id);
  }

  /** How many were still active. */
  clearAll(): number {
    const count = this.list().length;
    this.active.clear();
    return count;
  }

  /** Those that hit a request, in the order in which they were set. */
  hitting(target: FaultTarget): InjectedFault[] {
    this.removeEnded();
    return [...this.active.values()].filter((fault) => hits(fault, target));
  }

  /** Counts one application; false when the fault has ended meanwhile, and then nothing may be altered. */
  claim(fault: InjectedFault): boolean {
    if (this.active.get(fault.id) !== fault || isOver(fault, Date.now())) return false;
    fault.applied += 1;
    this.applied.inc({ kind: fault.fault.kind });
    return true;
  }

  private removeEnded(): void {
    const now = Date.now();
    for (const fault of this.active.values()) if (isOver(fault, now)) this.active.delete(fault.id);
  }
}

function shown(injected: InjectedFault): ActiveFault {
  const { id, fault, applied } = injected;
  const end = endOf(injected);
  return { id, fault, applied, ...(end !== undefined && { endsAt: new Date(end).toISOString() }) };
}
