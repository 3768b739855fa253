import type { FaultReporter } from '@ssb/faults';
import { FURTHER_DOCUMENTS } from '@ssb/events';
import {
  describeFutureCalculation,
  nameFutureCalculation,
  sortByUrgency,
  type FutureCalculation,
} from '../detection/position/future-calculations.js';

/** Reports each calculation with a future `calculatedAt` as a separate fault, because it may announce a breach. The number of separate faults is limited, so the most urgent come first. */
export class FutureCalculationFaults {
  private readonly raised = new Set<string>();

  constructor(
    private readonly participant: string,
    private readonly reporter: Pick<FaultReporter, 'raise' | 'clear' | 'forget'>,
  ) {}

  /**
   * @param previous those of the response before, which an earlier leader may have reported
   * @param present those of the latest response
   */
  report(previous: readonly FutureCalculation[], present: readonly FutureCalculation[]): void {
    const details = new Map(
      sortByUrgency(present).map((each) => [nameFutureCalculation(each), describeFutureCalculation(each)]),
    );
    for (const document of new Set([...previous.map(nameFutureCalculation), ...this.raised]))
      if (!details.has(document)) this.reporter.clear(this.faultOf(document));
    this.raised.clear();
    for (const [document, detail] of details) {
      this.raised.add(document);
      this.reporter.raise({ ...this.faultOf(document), detail });
    }
    if (details.size === 0 && previous.length > 0) this.reporter.clear(this.faultOf(FURTHER_DOCUMENTS));
  }

  /** Leaves the faults to the next leader. */
  leaseLost(): void {
    for (const document of this.raised) this.reporter.forget(this.faultOf(document));
    this.raised.clear();
  }

  private faultOf(document: string) {
    const { participant } = this;
    return { reason: 'calculation-in-future', participant, interface: 'prudential', document } as const;
  }
}
