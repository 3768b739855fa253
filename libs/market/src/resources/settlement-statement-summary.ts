import { z } from 'zod';
import { dateTime, decimal, int32, text } from '../fields.js';
import type { BrokenRule, Form } from '../form.js';
import { DESIGNATIONS, MARKET_SERVICES } from '../market-service.js';
import { type MarketDateTime, dateOf, isMarketDateTime } from '../market-time.js';
import { defineResource } from '../resource.js';
import { brokenDesignation } from './designation-rule.js';
import { brokenPeriodEnd } from './period-rule.js';

const variableSchema = (form: Form) =>
  form.object({
    variable: text(60),
    /** P: payment from the operator to the participant; C: charge paid by the participant. */
    pOrC: z.enum(['P', 'C']),
    gstApplicable: z.enum(['Y', 'N']),
    value: decimal({ precision: 23, scale: 8 }),
  });

const tradingDaySchema = (form: Form) =>
  form.object({ tradingDay: dateTime(), variables: z.array(variableSchema(form)) });

export const settlementStatementSummarySchema = (form: Form) =>
  form.rule(
    form.object({
      runId: int32(1, 2147483647),
      publishedAt: dateTime(),
      marketService: z.enum(MARKET_SERVICES),
      designation: z.enum(DESIGNATIONS),
      period: text(40),
      periodFrom: dateTime(),
      periodTo: dateTime(),
      participantCode: text(60),
      tradingDays: z.array(tradingDaySchema(form)),
    }),
    (statement) => [
      ...brokenDesignation(statement),
      ...brokenPeriodEnd(statement),
      ...brokenTradingDays(statement),
    ],
  );

export const SettlementStatementSummary = defineResource(
  'SettlementStatementSummary',
  settlementStatementSummarySchema,
);
export type SettlementStatementSummary = z.output<ReturnType<typeof settlementStatementSummarySchema>>;
export type SettlementCalculationData = SettlementStatementSummary['tradingDays'][number];
export type SettlementCalculationVariable = SettlementCalculationData['variables'][number];

interface Days {
  readonly periodFrom: MarketDateTime;
  readonly periodTo: MarketDateTime;
  readonly tradingDays: readonly { readonly tradingDay: MarketDateTime }[];
}

/** "One entry per trading day", and the trading days are those from the period's first to its last. */
function brokenTradingDays({ periodFrom, periodTo, tradingDays }: Days): BrokenRule[] {
  const [first, last] = [dateOf(periodFrom), dateOf(periodTo)];
  // What is no date, or no period, has been complained of already.
  const isPeriod = [periodFrom, periodTo].every(isMarketDateTime) && first <= last;
  const seen = new Set<string>();
  return tradingDays.flatMap(({ tradingDay }, index) => {
    if (!isMarketDateTime(tradingDay)) return [];
    const day = dateOf(tradingDay);
    const path = ['tradingDays', index, 'tradingDay'];
    if (isPeriod && (day < first || day > last))
      return [{ path, message: `expected a day from ${first} to ${last}` }];
    if (seen.has(day)) return [{ path, message: `expected one entry for ${day}` }];
    seen.add(day);
    return [];
  });
}
