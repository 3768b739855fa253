import type { SettlementRun, GivenFigures } from '../calendar/settlement-run.js';
import type { Publication, Publications } from '../documents/publications.js';

/** The dates of a run that can be moved. */
export type RunDates = Pick<SettlementRun, 'statementDate' | 'invoiceDate' | 'settlementDate'>;

/** The runs of a scenario by name, and which of them the timeline has. */
export class AnnouncedRuns {
  private readonly runs: Map<string, SettlementRun>;
  private announced: readonly string[] = [];

  constructor(runs: Readonly<Record<string, SettlementRun>>) {
    this.runs = new Map(Object.entries(runs));
  }

  /** @throws Error for a name that the scenario does not have; its schema refuses those */
  get(name: string): SettlementRun {
    const run = this.runs.get(name);
    if (run === undefined) throw new Error(`The scenario has no run ${name}.`);
    return run;
  }

  all(): SettlementRun[] {
    return [...this.runs.values()];
  }

  /** From now on the timeline has these runs. */
  announce(names: readonly string[]): void {
    this.announced = names;
  }

  /** Changes the given dates. */
  move(name: string, dates: { [Date in keyof RunDates]: RunDates[Date] | undefined }): void {
    const run = this.get(name);
    const { statementDate, invoiceDate, settlementDate } = dates;
    this.runs.set(name, {
      ...run,
      statementDate: statementDate ?? run.statementDate,
      invoiceDate: invoiceDate ?? run.invoiceDate,
      settlementDate: settlementDate ?? run.settlementDate,
    });
  }

  /** From now on the run has these figures. */
  setFigures(name: string, figures: GivenFigures): void {
    this.runs.set(name, { ...this.get(name), figures });
  }

  /** From now on the figures of the run are those of another revision. */
  revise(name: string, figures?: GivenFigures): void {
    const run = this.get(name);
    this.runs.set(name, { ...run, revision: (run.revision ?? 0) + 1, figures: figures ?? run.figures });
  }

  buildTimeline(publications: Publications): Publication {
    return publications.timeline(this.announced.map((name) => this.get(name)));
  }
}
