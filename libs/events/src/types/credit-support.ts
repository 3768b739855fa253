import type { EventGuide, FactDefinition } from '../definition.js';
import { constant, decimal, described, object, oneOf, type ValueOf } from './json-schema.js';
import {
  ACTUAL_CALCULATION_KEY,
  calculatedAt,
  orderOfCalculation,
  rowDigest,
  tradingDay,
  transition,
} from './position-properties.js';

const creditSupportProperties = {
  tradingDay,
  calculatedAt,
  creditSupport: described(decimal, 'Credit support held, AUD.', 'operation 1, creditSupport'),
  creditLimit: described(decimal, 'Credit limit, AUD.', 'operation 1, creditLimit'),
  difference: described(decimal, 'Credit support minus credit limit, AUD.'),
  digest: rowDigest,
  transition,
} as const;

function defineCreditSupport<const Level extends 'SHORT' | 'SUFFICIENT'>(
  level: Level,
  guide: EventGuide,
): FactDefinition<CreditSupportData> {
  return {
    schema: object({
      ...creditSupportProperties,
      level: described(constant(level), 'Whether the credit support is short of the credit limit.'),
    }),
    identity: {
      key: ACTUAL_CALCULATION_KEY,
      version: '{level}|{creditLimit:amount}|credit-limit|{transition}',
      subject: '{participant}/credit-support',
    },
    order: (data) => orderOfCalculation(data, data.transition),
    announcesProblem: (data) => data.level === 'SHORT',
    ...(level === 'SHORT' && { urgent: true as const }),
    guide,
  };
}

const creditSupportData = object({ ...creditSupportProperties, level: oneOf('SHORT', 'SUFFICIENT') });
export type CreditSupportData = ValueOf<typeof creditSupportData>;

export const creditSupportShort = defineCreditSupport('SHORT', {
  when: 'A calculation has credit support below the credit limit. The market requires at least as much at all times.',
  response: 'Increase the credit support by at least the difference.',
  notRecovered:
    'Changes that were decided on calculations before the trading days that a start without saved state reads (PRUDENTIAL_RECOVERY_DAYS). A shortage that began earlier is announced with the first calculation that is read, so under another id.',
});
export const creditSupportRestored = defineCreditSupport('SUFFICIENT', {
  when: 'After a shortage, a calculation has credit support of at least the credit limit.',
  response: 'End the measures that credit-support.short started.',
  notRecovered: 'As for credit-support.short.',
});
