import { createEvent, dateOf } from '../envelope/create-event.js';
import type { Detection, EventEnvelope } from '../envelope/envelope.js';
import { dateTime, decimal, integer, label, object, oneOf } from './json-schema.js';

/** One settlement variable of one trading day (interface document 000, SettlementCalculationVariable). */
export interface StatementVariable {
  /** Zone-less market time. */
  readonly tradingDay: string;
  readonly variable: string;
  /** P: payment from the market to the participant; C: charge paid by the participant. */
  readonly pOrC: string;
  readonly gstApplicable: string;
  /** AUD, every digit that the market sent. */
  readonly value: string;
}

/** A settlement statement (document 000, SettlementStatementSummary). Amounts are AUD decimal strings. */
export interface StatementPublishedData {
  readonly runId: number;
  readonly publishedAt: string;
  readonly marketService: string;
  readonly designation: string;
  readonly period: string;
  readonly periodFrom: string;
  readonly periodTo: string;
  /** Number of trading days that it covers. */
  readonly tradingDays: number;
  /** Exact sums of the variables by direction. */
  readonly totals: { readonly payment: string; readonly charge: string };
  readonly variables: readonly StatementVariable[];
}

export type StatementFact = StatementPublishedData & { readonly participant: string };

/** Creates the event of a run's first statement. Source: document 000, operation 5. */
export function createStatementPublishedEvent(
  { participant, ...data }: StatementFact,
  detection: Detection,
): EventEnvelope<'settlementbus.statement.published.v1', StatementPublishedData> {
  const { marketService, designation, runId } = data;
  const day = dateOf(data.periodFrom);
  return createEvent(
    {
      type: 'settlementbus.statement.published.v1',
      participant,
      naturalKey: `${marketService}|${day}|${designation}`,
      version: String(runId),
      subject: statementSubject(participant, marketService, day, designation),
      sequence: BigInt(runId),
      marketTime: data.publishedAt,
    },
    data,
    detection,
  );
}

/** `<participant>/<marketService>/<yyyy-MM-dd>/<designation>`. */
export function statementSubject(
  participant: string,
  marketService: string,
  day: string,
  designation: string,
): string {
  return [participant, marketService, day, designation].join('/');
}

export const statementPublishedSchema = object({
  runId: integer(1, 2_147_483_647),
  publishedAt: dateTime,
  marketService: oneOf('WEM', 'NSTEM', 'STEM'),
  designation: oneOf('INITIAL', 'ADJ1', 'ADJ2', 'ADJ3'),
  period: label(40),
  periodFrom: dateTime,
  periodTo: dateTime,
  tradingDays: integer(0, 2_147_483_647),
  totals: object({ payment: decimal, charge: decimal }),
  variables: {
    type: 'array',
    items: object({
      tradingDay: dateTime,
      variable: label(60),
      pOrC: label(8),
      gstApplicable: label(1),
      value: decimal,
    }),
  },
});
