import { z } from 'zod';
import { dateTime, decimal, int32, text } from '../fields.js';
import type { BrokenRule, Form } from '../form.js';
import { DESIGNATIONS, MARKET_SERVICES } from '../market-service.js';
import { defineResource } from '../resource.js';
import { brokenDesignation } from './designation-rule.js';

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
    (statement) => [...brokenDesignation(statement), ...brokenTradingDays(statement.tradingDays)],
  );

export const SettlementStatementSummary = defineResource(
  'SettlementStatementSummary',
  settlementStatementSummarySchema,
);
export type SettlementStatementSummary = z.output<ReturnType<typeof settlementStatementSummarySchema>>;
export type SettlementCalculationData = SettlementStatementSummary['tradingDays'][number];
export type SettlementCalculationVariable = SettlementCalculationData['variables'][number];

/** "One entry per trading day." */
function brokenTradingDays(tradingDays: readonly { readonly tradingDay: string }[]): BrokenRule[] {
  const seen = new Set<string>();
  return tradingDays.flatMap(({ tradingDay }, index) => {
    const day = tradingDay.slice(0, 'yyyy-MM-dd'.length);
    if (seen.has(day)) {
      return [{ path: ['tradingDays', index, 'tradingDay'], message: `expected one entry for ${day}` }];
    }
    seen.add(day);
    return [];
  });
}
