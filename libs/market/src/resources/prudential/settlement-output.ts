import { z } from 'zod';
import { decimal } from '../../schema/fields.js';
import type { RuleViolation, SchemaBuilder } from '../../schema/schema-builder.js';
import { defineResource } from '../../schema/resource.js';
import { checkValueCount } from '../rules.js';

const variableSchema = (builder: SchemaBuilder) =>
  builder.rule(
    builder.object({
      variable: z.string().nullish(),
      /** The entity of the variable. */
      scope: z.string().nullish(),
      /** Defined in the market's metering, settlement and prudential calculations reference. */
      granularity: z.string().nullish(),
      /** In chronological order. */
      value: z.array(decimal({ precision: 23, scale: 8 })).nullish(),
    }),
    ({ granularity, value }): RuleViolation[] => checkValueCount(granularity, value),
  );

const calculationDataSchema = (builder: SchemaBuilder) =>
  builder.object({
    tradingDay: builder.openDateTime().optional(),
    variables: z.array(variableSchema(builder)).nullish(),
  });

/** Document 000, SettlementOutput: prudential detail (operation 3) and NSTEM estimation (operation 4). No field is required. */
export const settlementOutputSchema = (builder: SchemaBuilder) =>
  builder.object({
    /** The trading day for which the estimated exposure is calculated. */
    tradingDay: builder.openDateTime().optional(),
    tradingDays: z.array(calculationDataSchema(builder)).nullish(),
  });

export const SettlementOutput = defineResource('SettlementOutput', settlementOutputSchema);
export type SettlementOutput = z.output<ReturnType<typeof settlementOutputSchema>>;
export type CalculationData = NonNullable<SettlementOutput['tradingDays']>[number];
export type CalculationVariable = NonNullable<CalculationData['variables']>[number];
