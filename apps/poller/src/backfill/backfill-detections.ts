import type { DetectedEvent, EventType, Fact } from '@ssb/events';
import { addDays, type MarketDate } from '@ssb/market';
import type { DetectionSettings } from '@ssb/operator-config';
import type { DetectionContext, Unreadable } from '../detection/detection.js';
import { detectPositions } from '../detection/position/detect-positions.js';
import { detectEstimation } from '../detection/settlement/detect-estimation.js';
import { detectInvoice } from '../detection/settlement/detect-invoice.js';
import { detectStatement } from '../detection/settlement/detect-statement.js';
import { readTimeline } from '../detection/settlement/read-timeline.js';
import { earlierRun, type SettlementRun } from '../detection/settlement/runs.js';
import type { MarketClients } from '../market/market-clients.js';
import { toUnreadable } from '../polls/answers.js';
import type { LargeStatements } from '../records/large-statements.js';
import type { BackfillStep } from './backfill-steps.js';

/** Facts that the operator's records state. The others follow from the time at which the poller looked, and cannot be raised later. */
const BACKFILLED_TYPES: ReadonlySet<EventType> = new Set([
  'settlementbus.statement.published.v1',
  'settlementbus.invoice.issued.v1',
  'settlementbus.invoice.adjusted.v1',
  'settlementbus.invoice.reversed.v1',
  'settlementbus.invoice.discrepancy.v1',
  'settlementbus.estimation.published.v1',
  'settlementbus.position.calculated.v1',
  'settlementbus.margin.warning.v1',
  'settlementbus.margin.breached.v1',
  'settlementbus.margin.restored.v1',
  'settlementbus.credit-support.short.v1',
  'settlementbus.credit-support.restored.v1',
]);

/** The level at the start of a range follows from the calculations before it. */
const DAYS_BEFORE_RANGE = 14;
/** The invoice day of a run comes at most so long after its statement day. */
const MAX_INVOICE_DELAY_DAYS = 90;

export interface BackfillDetectionsDependencies {
  readonly participant: string;
  readonly settings: () => DetectionSettings;
  readonly market: Pick<MarketClients, 'prudential' | 'settlement'>;
  readonly largeStatements: Pick<LargeStatements, 'fit'>;
}

/** What the answers of a step state. */
export interface StepResult {
  readonly facts: readonly Fact[];
  readonly unreadable: readonly Unreadable[];
  /** Changes an event before it is raised, such as one that is too large for its channel. */
  readonly fit?: (event: DetectedEvent) => Promise<DetectedEvent>;
}

/** Fetches the records of a step, and decides its facts with the detectors of the poller, but without a saved state. */
export class BackfillDetections {
  constructor(private readonly dependencies: BackfillDetectionsDependencies) {}

  /** The runs with a statement or invoice day in the range (operation 10). */
  async runs(from: MarketDate, to: MarketDate): Promise<readonly SettlementRun[]> {
    const { settlement } = this.dependencies.market;
    const answer = await settlement.timeline(from, addDays(to, MAX_INVOICE_DELAY_DAYS));
    return answer === undefined ? [] : readTimeline(answer.value).runs;
  }

  async run(step: BackfillStep): Promise<StepResult> {
    const result = await this.detect(step);
    return { ...result, facts: result.facts.filter(({ type }) => BACKFILLED_TYPES.has(type)) };
  }

  private async detect(step: BackfillStep): Promise<StepResult> {
    const { market, largeStatements } = this.dependencies;
    switch (step.kind) {
      case 'calculations':
        return this.detectCalculations(step.from, step.to);
      case 'statement': {
        const { marketService, periodFrom, designation } = step.run;
        const answer = await market.settlement.statement(marketService, periodFrom, designation);
        const detected = detectStatement(undefined, step.run, answer, this.context());
        return {
          ...detected,
          ...(answer && { fit: (event: DetectedEvent) => largeStatements.fit(event, answer) }),
        };
      }
      case 'invoice': {
        const answer = await this.invoiceOf(step.run);
        const earlier = answer && earlierRun(step.run);
        const earlierAnswer = earlier && (await this.invoiceOf(earlier));
        const sums =
          earlierAnswer &&
          detectInvoice(undefined, earlier, earlierAnswer, undefined, this.context()).state.current?.figures
            ?.taxSums;
        return detectInvoice(undefined, step.run, answer, sums, this.context());
      }
      case 'estimation': {
        const { run, tradingDay } = step;
        const answer = await market.settlement.statementEstimation(
          run.periodFrom,
          run.designation,
          tradingDay,
        );
        return detectEstimation(undefined, run, tradingDay, answer, this.context());
      }
      default:
        return step satisfies never;
    }
  }

  private async detectCalculations(from: MarketDate, to: MarketDate): Promise<StepResult> {
    const firstDay = addDays(from, -DAYS_BEFORE_RANGE);
    const answer = await this.dependencies.market.prudential.prudentialRange(firstDay, to);
    const read = answer ?? { value: [], unreadable: [], indexes: [] };
    const detected = detectPositions(undefined, { firstDay, ...read }, this.context());
    return {
      facts: detected.facts.filter((fact) => isOfDays(fact, from, to)),
      unreadable: [...read.unreadable.map(toUnreadable), ...detected.unreadable],
    };
  }

  private invoiceOf({ marketService, periodFrom, designation }: SettlementRun) {
    return this.dependencies.market.settlement.invoice(marketService, periodFrom, designation);
  }

  private context(): DetectionContext {
    const { participant, settings } = this.dependencies;
    return { participant, settings: settings(), now: new Date() };
  }
}

/** Whether the trading day of a fact lies in a range. */
function isOfDays({ data }: Fact, from: MarketDate, to: MarketDate): boolean {
  const day = 'tradingDay' in data ? String(data.tradingDay).slice(0, 10) : '';
  return day >= from && day <= to;
}
