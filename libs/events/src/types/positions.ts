import type { FactDefinition } from '../definition.js';
import { orderOfTime } from '../envelope/market-time.js';
import type { IdentityTemplates } from '../identity.js';
import {
  constant,
  dateTime,
  decimal,
  described,
  integer,
  MAX_INT32,
  object,
  type ValueOf,
} from './json-schema.js';
import {
  CALCULATION_KEY,
  calculatedAt,
  isForecast,
  orderOfCalculation,
  outstandingAmount,
  rowDigest,
  tradingDay,
  tradingMargin,
} from './position-properties.js';

/** All figures of a calculation, in the order of document 000. */
export const POSITION_FIGURES = [
  'prepayment',
  'invoiceNotPaid',
  'cumulativeEstimatedExposure',
  'outstandingAmount',
  'creditSupport',
  'creditLimit',
  'tradingLimit',
  'tradingMargin',
] as const;
export type PositionFigure = (typeof POSITION_FIGURES)[number];

const calculatedData = object(
  {
    tradingDay,
    calculatedAt,
    isForecast,
    prepayment: described(decimal, 'Prepayments held for the participant, AUD.', 'operation 1, prepayment'),
    invoiceNotPaid: described(
      decimal,
      'Owed for issued statements and not yet paid, AUD.',
      'operation 1, invoiceNotPaid',
    ),
    cumulativeEstimatedExposure: described(
      decimal,
      'Cumulative estimated exposure, AUD.',
      'operation 1, cumulativeEstimatedExposure',
    ),
    outstandingAmount,
    creditSupport: described(decimal, 'Credit support held, AUD.', 'operation 1, creditSupport'),
    creditLimit: described(decimal, 'Credit limit, AUD.', 'operation 1, creditLimit'),
    tradingLimit: described(decimal, 'Trading limit, AUD.', 'operation 1, tradingLimit'),
    tradingMargin,
    digest: rowDigest,
  },
  // The document requires none of them.
  POSITION_FIGURES,
);

const staleProperties = {
  lastCalculatedAt: described(
    dateTime,
    'The latest calculation before the pause; with `neverCalculated` the first poll. Market time.',
    'operation 1, calculatedAt',
  ),
  lastTradingDay: described(
    dateTime,
    'Trading day of the latest calculation before the pause; with `neverCalculated` the day of the first poll. Market time.',
    'operation 1, tradingDay',
  ),
  allowedSeconds: described(
    integer(1, MAX_INT32),
    'How long the bridge waits for a new calculation, seconds. Days that are not in `position.days` do not count.',
  ),
  neverCalculated: described(
    constant(true),
    'Present when the bridge had read no calculation before the pause: there was none since its first poll at `lastCalculatedAt`.',
  ),
} as const;

const staleData = object(
  { ...staleProperties, staleSince: described(dateTime, 'When the allowed time ended; market time.') },
  ['neverCalculated'],
);
const resumedData = object({ ...staleProperties, calculatedAt, tradingDay }, ['neverCalculated']);

export type PositionCalculatedData = ValueOf<typeof calculatedData>;
export type PositionStaleData = ValueOf<typeof staleData>;
export type PositionResumedData = ValueOf<typeof resumedData>;

export const positionCalculated: FactDefinition<PositionCalculatedData> = {
  schema: calculatedData,
  identity: { key: CALCULATION_KEY, version: '1', subject: '{participant}/position' },
  order: (data) => orderOfCalculation(data),
  guide: {
    when: 'The operator performed a calculation, forecasts included.',
    response: 'Nothing. Use it to keep the history of the position.',
    notRecovered:
      'Calculations of trading days before the trading days that a start without saved state reads (PRUDENTIAL_RECOVERY_DAYS).',
  },
};

const pauseIdentity: IdentityTemplates = {
  key: '{lastCalculatedAt:milliseconds}',
  version: '1',
  subject: '{participant}/position/stale',
};

export const positionStale: FactDefinition<PositionStaleData> = {
  schema: staleData,
  identity: pauseIdentity,
  order: ({ lastCalculatedAt, staleSince }) => ({
    sequence: orderOfTime(lastCalculatedAt) * 10n,
    marketTime: staleSince,
  }),
  announcesProblem: () => true,
  guide: {
    when: 'The bridge read no new calculation for longer than allowed: the operator made none, or its interface was not available. Before the first calculation, the time begins with the first poll. Days that are not in `position.days` of the configuration do not count.',
    response:
      'Do not rely on the last margin. With `neverCalculated`, check the address and the account of the prudential interface. Request the reason from the operator.',
    notRecovered:
      'Pauses that began before the trading days that a start without saved state reads (PRUDENTIAL_RECOVERY_DAYS). A pause that has ended is announced together with its end, which `alertsSince` keeps from alerting.',
  },
};

export const positionResumed: FactDefinition<PositionResumedData> = {
  schema: resumedData,
  identity: pauseIdentity,
  order: ({ lastCalculatedAt, calculatedAt }) => ({
    sequence: orderOfTime(lastCalculatedAt) * 10n + 1n,
    marketTime: calculatedAt,
  }),
  announcesProblem: () => false,
  guide: {
    when: 'After position.stale there is a new calculation.',
    response: 'Rely on the margin again.',
    notRecovered: 'As for position.stale.',
  },
};
