import { createEvent, dateOf, type FactIdentity } from '../envelope/create-event.js';
import type { Detection, EventEnvelope } from '../envelope/envelope.js';
import { dateTime, decimal, integer, label, object, oneOf, pattern, type JsonSchema } from './json-schema.js';

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

/** What replaces the variables of a statement that is too large for its channel. */
export interface StatementVariablesSummary {
  /** Number of variables. */
  readonly count: number;
  /** Number of variables of each direction. */
  readonly payments: number;
  readonly charges: number;
  /** Size of the RFC 8785 form of the full record, bytes. */
  readonly bytes: number;
  /** SHA-256 of that form, lower-case hexadecimal. */
  readonly sha256: string;
  /** The request that returns the record from the operator. */
  readonly source: { readonly method: 'GET'; readonly path: string };
}

interface StatementFigures {
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
}

/** A settlement statement (document 000, SettlementStatementSummary), with its variables or their summary. Amounts are AUD decimal strings. */
export type StatementPublishedData = StatementFigures &
  (
    | { readonly variables: readonly StatementVariable[]; readonly variablesSummary?: never }
    | { readonly variables?: never; readonly variablesSummary: StatementVariablesSummary }
  );

export type StatementPublishedEvent = EventEnvelope<
  'settlementbus.statement.published.v1',
  StatementPublishedData
>;

export interface StatementFact extends StatementFigures {
  readonly participant: string;
  readonly variables: readonly StatementVariable[];
}

/** Creates the event of a run's first statement. Source: document 000, operation 5. */
export function createStatementPublishedEvent(
  { participant, ...data }: StatementFact,
  detection: Detection,
): StatementPublishedEvent {
  return createEvent(
    {
      type: 'settlementbus.statement.published.v1',
      ...identifyStatement(participant, data),
      sequence: BigInt(data.runId),
      marketTime: data.publishedAt,
    },
    data,
    detection,
  );
}

export function identifyStatement(
  participant: string,
  {
    marketService,
    periodFrom,
    designation,
    runId,
  }: Pick<StatementFigures, 'marketService' | 'periodFrom' | 'designation' | 'runId'>,
): FactIdentity {
  const day = dateOf(periodFrom);
  return {
    participant,
    naturalKey: `${marketService}|${day}|${designation}`,
    version: String(runId),
    subject: statementSubject(participant, marketService, day, designation),
  };
}

/** The same event with a summary in place of its variables. */
export function withVariablesSummary(
  event: StatementPublishedEvent,
  variablesSummary: StatementVariablesSummary,
): StatementPublishedEvent {
  const figures = Object.fromEntries(
    Object.entries(event.data).filter(([name]) => name !== 'variables'),
  ) as unknown as StatementFigures;
  return Object.freeze({ ...event, data: { ...figures, variablesSummary } });
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

/** Document 000, operation 5. Without alternatives, because the broker bounds the steps of a pattern. */
const STATEMENT_PATH =
  '^/api/v2/settlements/[A-Z]{3,5}/summary/\\d{4}-\\d{2}-\\d{2}/[A-Z0-9]{4,7}(\\?[!-~]{1,200})?$';

const variablesSummarySchema = object({
  count: integer(0, 2_147_483_647),
  payments: integer(0, 2_147_483_647),
  charges: integer(0, 2_147_483_647),
  bytes: integer(1, 2_147_483_647),
  sha256: pattern('^[0-9a-f]{64}$'),
  source: object({ method: { const: 'GET' }, path: { ...pattern(STATEMENT_PATH), maxLength: 300 } }),
});

export const statementPublishedSchema: JsonSchema = {
  ...object(
    {
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
      variablesSummary: variablesSummarySchema,
    },
    ['variables', 'variablesSummary'],
  ),
  // Exactly one of the two. Ajv in strict mode requires that `properties` is beside `required`.
  oneOf: [
    { type: 'object', properties: { variables: { type: 'array' } }, required: ['variables'] },
    { type: 'object', properties: { variablesSummary: { type: 'object' } }, required: ['variablesSummary'] },
  ],
};
