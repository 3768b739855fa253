import { z } from 'zod';
import { decimal, int32, text } from '../../schema/fields.js';
import type { RuleViolation, SchemaBuilder } from '../../schema/schema-builder.js';
import { DESIGNATIONS, MARKET_SERVICES } from '../../values/market-service.js';
import { type MarketDateTime, dateOf, isMarketDateTime } from '../../values/market-time.js';
import { defineResource } from '../../schema/resource.js';
import { GRANULARITIES, checkDesignation, checkValueCount } from '../rules.js';

const variableSchema = (builder: SchemaBuilder) =>
  builder.rule(
    builder.object({
      variable: text(60),
      /** The entity of the variable. */
      scope: text(70),
      // A client must accept a new granularity: the market plans five-minute settlement.
      granularity: builder.kind === 'strict' ? z.enum(GRANULARITIES) : text(5),
      /** In chronological order. */
      value: z.array(decimal({ precision: 23, scale: 8 })).nullish(),
    }),
    ({ granularity, value }) => checkValueCount(granularity, value),
  );

const calculationDataSchema = (builder: SchemaBuilder) =>
  builder.object({ tradingDay: builder.dateTime(), variables: z.array(variableSchema(builder)) });

/** Document 000, SettlementOutputDetails: detail (operation 6) and NSTEM estimation (operation 7) of one trading day. */
export const settlementOutputDetailsSchema = (builder: SchemaBuilder) =>
  builder.rule(
    builder.object({
      runId: int32(1, 2147483647),
      publishedAt: builder.dateTime(),
      marketService: z.enum(MARKET_SERVICES),
      designation: z.enum(DESIGNATIONS),
      period: text(30),
      periodFrom: builder.dateTime(),
      periodTo: builder.dateTime(),
      participantCode: text(20),
      tradingDay: builder.dateTime(),
      tradingDays: z.array(calculationDataSchema(builder)),
    }),
    (details) => [...checkDesignation(details), ...checkTradingDay(details)],
  );

export const SettlementOutputDetails = defineResource(
  'SettlementOutputDetails',
  settlementOutputDetailsSchema,
);
export type SettlementOutputDetails = z.output<ReturnType<typeof settlementOutputDetailsSchema>>;
export type SettlementOutputCalculationData = SettlementOutputDetails['tradingDays'][number];
export type SettlementOutputCalculationVariable = SettlementOutputCalculationData['variables'][number];

interface TradingDayOfPeriod {
  tradingDay: MarketDateTime;
  periodFrom: MarketDateTime;
  periodTo: MarketDateTime;
}

function checkTradingDay({ tradingDay, periodFrom, periodTo }: TradingDayOfPeriod): RuleViolation[] {
  // The schema of the field reports an invalid date.
  if (![tradingDay, periodFrom, periodTo].every(isMarketDateTime)) return [];
  const day = dateOf(tradingDay);
  if (dateOf(periodFrom) <= day && day <= dateOf(periodTo)) return [];
  return [
    { path: ['tradingDay'], message: `expected a day from ${dateOf(periodFrom)} to ${dateOf(periodTo)}` },
  ];
}
