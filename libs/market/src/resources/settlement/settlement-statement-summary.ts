import { z } from 'zod';
import { decimal, int32, text } from '../../schema/fields.js';
import type { RuleViolation, SchemaBuilder } from '../../schema/schema-builder.js';
import { DESIGNATIONS, MARKET_SERVICES } from '../../values/market-service.js';
import { type MarketDateTime, dateOf, isMarketDateTime } from '../../values/market-time.js';
import { defineResource } from '../../schema/resource.js';
import { checkDesignation, checkPeriodEnd } from '../rules.js';

const variableSchema = (builder: SchemaBuilder) =>
  builder.object({
    variable: text(60),
    /** P: payment from the operator to the participant; C: charge paid by the participant. */
    pOrC: z.enum(['P', 'C']),
    gstApplicable: z.enum(['Y', 'N']),
    value: decimal({ precision: 23, scale: 8 }),
  });

const tradingDaySchema = (builder: SchemaBuilder) =>
  builder.object({ tradingDay: builder.dateTime(), variables: z.array(variableSchema(builder)) });

export const settlementStatementSummarySchema = (builder: SchemaBuilder) =>
  builder.rule(
    builder.object({
      runId: int32(1, 2147483647),
      publishedAt: builder.dateTime(),
      marketService: z.enum(MARKET_SERVICES),
      designation: z.enum(DESIGNATIONS),
      period: text(40),
      periodFrom: builder.dateTime(),
      periodTo: builder.dateTime(),
      participantCode: text(60),
      tradingDays: z.array(tradingDaySchema(builder)),
    }),
    (statement) => [
      ...checkDesignation(statement),
      ...checkPeriodEnd(statement),
      ...checkTradingDays(statement),
    ],
  );

export const SettlementStatementSummary = defineResource(
  'SettlementStatementSummary',
  settlementStatementSummarySchema,
);
export type SettlementStatementSummary = z.output<ReturnType<typeof settlementStatementSummarySchema>>;
export type SettlementCalculationData = SettlementStatementSummary['tradingDays'][number];
export type SettlementCalculationVariable = SettlementCalculationData['variables'][number];

interface TradingDaysOfPeriod {
  readonly periodFrom: MarketDateTime;
  readonly periodTo: MarketDateTime;
  readonly tradingDays: readonly { readonly tradingDay: MarketDateTime }[];
}

/** "One entry per trading day", and each trading day lies within the period. */
function checkTradingDays({ periodFrom, periodTo, tradingDays }: TradingDaysOfPeriod): RuleViolation[] {
  const [first, last] = [dateOf(periodFrom), dateOf(periodTo)];
  // The schema of the field reports an invalid date.
  const isValidPeriod = [periodFrom, periodTo].every(isMarketDateTime) && first <= last;
  const seen = new Set<string>();
  return tradingDays.flatMap(({ tradingDay }, index) => {
    if (!isMarketDateTime(tradingDay)) return [];
    const day = dateOf(tradingDay);
    const path = ['tradingDays', index, 'tradingDay'];
    if (isValidPeriod && (day < first || day > last))
      return [{ path, message: `expected a day from ${first} to ${last}` }];
    if (seen.has(day)) return [{ path, message: `expected one entry for ${day}` }];
    seen.add(day);
    return [];
  });
}
