import { z } from 'zod';
import { decimal } from '../fields.js';
import type { BrokenRule, Form } from '../form.js';
import { defineResource } from '../resource.js';
import { brokenCountOf } from './granularity.js';

const variableSchema = (form: Form) =>
  form.rule(
    form.object({
      variable: z.string().nullish(),
      /** The entity that the variable applies to. */
      scope: z.string().nullish(),
      /** As defined in the market's metering, settlement and prudential calculations reference. */
      granularity: z.string().nullish(),
      /** In chronological order. */
      value: z.array(decimal({ precision: 23, scale: 8 })).nullish(),
    }),
    ({ granularity, value }): BrokenRule[] => brokenCountOf(granularity, value),
  );

const calculationDataSchema = (form: Form) =>
  form.object({
    tradingDay: form.openDateTime().optional(),
    variables: z.array(variableSchema(form)).nullish(),
  });

/** Document 000, SettlementOutput: prudential detail (operation 3) and NSTEM estimation (operation 4). No field is required. */
export const settlementOutputSchema = (form: Form) =>
  form.object({
    /** The trading day for which the estimated exposure is calculated. */
    tradingDay: form.openDateTime().optional(),
    tradingDays: z.array(calculationDataSchema(form)).nullish(),
  });

export const SettlementOutput = defineResource('SettlementOutput', settlementOutputSchema);
export type SettlementOutput = z.output<ReturnType<typeof settlementOutputSchema>>;
export type CalculationData = NonNullable<SettlementOutput['tradingDays']>[number];
export type CalculationVariable = NonNullable<CalculationData['variables']>[number];
