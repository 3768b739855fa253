import { z } from 'zod';
import { dateTime, decimal, int32, text } from '../fields.js';
import type { BrokenRule, Form } from '../form.js';
import { DESIGNATIONS, MARKET_SERVICES } from '../market-service.js';
import { type MarketDateTime, dateOf, isMarketDateTime } from '../market-time.js';
import { defineResource } from '../resource.js';
import { brokenDesignation } from './designation-rule.js';
import { GRANULARITIES, brokenCountOf } from './granularity.js';

const variableSchema = (form: Form) =>
  form.rule(
    form.object({
      variable: text(60),
      /** The entity associated with the variable. */
      scope: text(70),
      // A client must live with a granularity that the market adds: five-minute settlement is to come.
      granularity: form.kind === 'strict' ? z.enum(GRANULARITIES) : text(5),
      /** In chronological order. */
      value: z.array(decimal({ precision: 23, scale: 8 })).nullish(),
    }),
    ({ granularity, value }) => brokenCountOf(granularity, value),
  );

const calculationDataSchema = (form: Form) =>
  form.object({ tradingDay: dateTime(), variables: z.array(variableSchema(form)) });

/** Document 000, SettlementOutputDetails: settlement detail (operation 6) and NSTEM estimation (operation 7) of one trading day. */
export const settlementOutputDetailsSchema = (form: Form) =>
  form.rule(
    form.object({
      runId: int32(1, 2147483647),
      publishedAt: dateTime(),
      marketService: z.enum(MARKET_SERVICES),
      designation: z.enum(DESIGNATIONS),
      period: text(30),
      periodFrom: dateTime(),
      periodTo: dateTime(),
      participantCode: text(20),
      tradingDay: dateTime(),
      tradingDays: z.array(calculationDataSchema(form)),
    }),
    (details) => [...brokenDesignation(details), ...brokenTradingDay(details)],
  );

export const SettlementOutputDetails = defineResource(
  'SettlementOutputDetails',
  settlementOutputDetailsSchema,
);
export type SettlementOutputDetails = z.output<ReturnType<typeof settlementOutputDetailsSchema>>;
export type SettlementOutputCalculationData = SettlementOutputDetails['tradingDays'][number];
export type SettlementOutputCalculationVariable = SettlementOutputCalculationData['variables'][number];

interface DetailKey {
  tradingDay: MarketDateTime;
  periodFrom: MarketDateTime;
  periodTo: MarketDateTime;
}

function brokenTradingDay({ tradingDay, periodFrom, periodTo }: DetailKey): BrokenRule[] {
  // A date that is none has been complained of already.
  if (![tradingDay, periodFrom, periodTo].every(isMarketDateTime)) return [];
  const day = dateOf(tradingDay);
  if (dateOf(periodFrom) <= day && day <= dateOf(periodTo)) return [];
  return [
    { path: ['tradingDay'], message: `expected a day from ${dateOf(periodFrom)} to ${dateOf(periodTo)}` },
  ];
}
