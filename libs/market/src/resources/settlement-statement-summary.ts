import { z } from 'zod';
import { dateTime, decimal, int32, text } from '../fields.js';
import type { Form } from '../form.js';
import { DESIGNATIONS, MARKET_SERVICES, designationsOf } from '../market-service.js';
import { defineResource } from '../resource.js';

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
    ({ marketService, designation }) =>
      designationsOf(marketService).includes(designation)
        ? []
        : [{ path: ['designation'], message: `expected INITIAL, the only designation of ${marketService}` }],
  );

export const SettlementStatementSummary = defineResource(
  'SettlementStatementSummary',
  settlementStatementSummarySchema,
);
export type SettlementStatementSummary = z.output<ReturnType<typeof settlementStatementSummarySchema>>;
export type SettlementCalculationData = SettlementStatementSummary['tradingDays'][number];
export type SettlementCalculationVariable = SettlementCalculationData['variables'][number];
