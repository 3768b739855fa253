import { marketNow, startOfDay, type MarketDateTime, type SettlementCycleTimeline } from '@ssb/market';
import type { CalendarRun } from './domain/calendar.js';
import { unitsOf, CENTS } from './domain/amount.js';
import { invoiceOf } from './domain/invoice.js';
import { positionOf, type CreditBook } from './domain/position.js';
import { nextCalculationAt } from './domain/progress.js';
import { statementOf } from './domain/statement.js';
import { invoiceSubject, prudentialSubject, statementSubject } from './domain/subject.js';
import type { Publisher } from './stage/publisher.js';

/** When a run was published, and the id it was given. */
export interface RunStamp {
  publishedAt: MarketDateTime;
  runId: number;
}

/** Seconds since 1970: later runs have higher ids, and the int32 of document 000 holds them until 2038. */
export function runIdAt(now: Date): number {
  return Math.floor(now.getTime() / 1_000);
}

/** What the market can do in a play. Each resolves once the record is in; each throws the abort reason on abort. */
export class Market {
  private readonly lastCalculations = new Map<string, Date>();

  constructor(
    private readonly publisher: Publisher,
    private readonly book: CreditBook,
    readonly seed: string,
  ) {}

  announce(timeline: SettlementCycleTimeline, signal: AbortSignal): Promise<void> {
    const cycles = timeline.cycles ?? [];
    const subject = `${cycles.length} cycles`;
    return this.publisher.publish(
      { kind: 'timeline', subject, load: (door) => door.loadTimeline(timeline) },
      signal,
    );
  }

  /** A prudential calculation made now. @param tradingMargin decimal string, AUD */
  calculate(participant: string, tradingMargin: string, signal: AbortSignal): Promise<void> {
    const at = nextCalculationAt(new Date(), this.lastCalculations.get(participant));
    this.lastCalculations.set(participant, at);
    const position = positionOf(participant, marketNow(at), unitsOf(tradingMargin, CENTS), this.book);
    return this.publisher.publish(
      {
        kind: 'margin',
        subject: prudentialSubject(participant),
        note: { tradingMargin, calculatedAt: marketNow(at) },
        load: (door) => door.loadPrudential(participant, position),
      },
      signal,
    );
  }

  /** The statement of a run, published now unless it has a stamp from before. */
  state(participant: string, run: CalendarRun, signal: AbortSignal, stamp?: RunStamp): Promise<void> {
    const now = new Date();
    const statement = this.statement(
      participant,
      run,
      stamp ?? { publishedAt: marketNow(now), runId: runIdAt(now) },
    );
    return this.publisher.publish(
      {
        kind: 'statement',
        subject: statementSubject(participant, run),
        load: (door) => door.loadStatement(statement),
      },
      signal,
    );
  }

  /** The invoice of a run, worked out from its statement's figures. */
  invoice(participant: string, run: CalendarRun, id: string, signal: AbortSignal): Promise<void> {
    // The figures depend on the run alone; when its statement was published does not show on an invoice.
    const stamp = { publishedAt: startOfDay(run.statementDate), runId: 1 };
    const statement = this.statement(participant, run, stamp);
    const before = runBefore(run);
    const previous = before && this.statement(participant, before, stamp);
    const invoice = invoiceOf({ id, participant, run, statement, previous });
    const { marketService, from } = run.period;
    return this.publisher.publish(
      {
        kind: 'invoice',
        subject: invoiceSubject(participant, run, id),
        load: (door) =>
          door.loadInvoice({
            participantCode: participant,
            marketService,
            periodFrom: from,
            designation: run.designation,
            invoice,
          }),
      },
      signal,
    );
  }

  private statement(participant: string, run: CalendarRun, stamp: RunStamp): ReturnType<typeof statementOf> {
    return statementOf({ participant, run, ...stamp, seed: this.seed, controlFigure: run.controlFigure });
  }
}

/** The run that an adjustment adjusts. */
function runBefore(run: CalendarRun): CalendarRun | undefined {
  switch (run.designation) {
    case 'INITIAL':
      return undefined;
    case 'ADJ1':
      return { ...run, designation: 'INITIAL' };
    case 'ADJ2':
      return { ...run, designation: 'ADJ1' };
    case 'ADJ3':
      return { ...run, designation: 'ADJ2' };
  }
}
