import type { EventDataByType, FactType } from '../src/definitions.js';

/** An example of each type about the position and the access to the operator. */

type PrudentialType = Exclude<
  FactType,
  `settlementbus.${'statement' | 'invoice' | 'payment' | 'estimation' | 'timeline'}.${string}`
>;

const ROW = {
  tradingDay: '2026-03-02T00:00:00',
  calculatedAt: '2026-03-02T10:15:30.250',
  digest: 'e25b96c1d07f48a3b61e9c5d20f7384ab19e6dc5027f4b83ae6109d5c4f872b3',
} as const;

const AMOUNTS = { method: 'amount', warning: '250000', breach: '100000', hysteresis: '10000' } as const;

const FORECAST_ROW = {
  ...ROW,
  tradingDay: '2026-03-05T00:00:00',
  isForecast: true,
  method: 'operator',
  tradingMargin: '87210.35',
  breach: '100000',
  horizonDays: 7,
  transition: 0,
} as const;

const PAUSE = {
  lastCalculatedAt: '2026-03-02T10:15:30.250',
  lastTradingDay: '2026-03-02T00:00:00',
  allowedSeconds: 7_200,
} as const;

const OUTAGE = {
  interface: 'prudential',
  since: '2026-03-02T02:20:00.000Z',
  cause: 'forbidden',
  detail: 'operation 1 responded with 403',
  allowedSeconds: 300,
} as const;

export const PRUDENTIAL_FACTS: { readonly [Type in PrudentialType]: EventDataByType[Type] } = {
  'settlementbus.position.calculated.v1': {
    ...ROW,
    isForecast: false,
    prepayment: '0',
    invoiceNotPaid: '410200.75',
    cumulativeEstimatedExposure: '339799.25000001',
    outstandingAmount: '750000.00000001',
    creditSupport: '1000000',
    creditLimit: '1000000',
    tradingLimit: '999999.99',
    tradingMargin: '249999.98999999',
  },
  'settlementbus.position.stale.v1': { ...PAUSE, staleSince: '2026-03-02T12:15:30.250' },
  'settlementbus.position.resumed.v1': {
    ...PAUSE,
    calculatedAt: '2026-03-02T13:40:02',
    tradingDay: '2026-03-02T00:00:00',
  },
  'settlementbus.margin.warning.v1': {
    ...ROW,
    level: 'WARNING',
    previousLevel: 'OK',
    tradingMargin: '249999.98999999',
    outstandingAmount: '750000.00000001',
    thresholds: AMOUNTS,
    transition: 0,
    cause: 'calculation',
    severity: 'warning',
  },
  'settlementbus.margin.breached.v1': {
    ...ROW,
    calculatedAt: '2026-03-02T14:00:00',
    level: 'BREACHED',
    previousLevel: 'BREACHED',
    tradingMargin: '-60000.5',
    outstandingAmount: '1060000.5',
    thresholds: {
      ...AMOUNTS,
      method: 'share',
      tradingLimit: '1000000',
      deepeningStep: '50000',
      minDurationSeconds: 0,
    },
    transition: 0,
    cause: 'deepened',
    previousMargin: '95000',
    severity: 'critical',
  },
  'settlementbus.margin.restored.v1': {
    ...ROW,
    calculatedAt: '2026-03-03T09:30:00',
    level: 'OK',
    previousLevel: 'BREACHED',
    tradingMargin: '310000',
    outstandingAmount: '690000',
    thresholds: AMOUNTS,
    transition: 0,
    cause: 'calculation',
    severity: 'info',
  },
  'settlementbus.margin.breach-forecast.v1': {
    ...FORECAST_ROW,
    level: 'FORECAST',
    daysUntilBreach: '3.0',
    breachDay: '2026-03-05',
  },
  'settlementbus.margin.forecast-cleared.v1': {
    ...FORECAST_ROW,
    calculatedAt: '2026-03-03T10:15:30',
    tradingMargin: '187210.35',
    level: 'CLEAR',
  },
  'settlementbus.credit-support.short.v1': {
    ...ROW,
    creditSupport: '950000',
    creditLimit: '1000000',
    difference: '-50000',
    transition: 0,
    level: 'SHORT',
  },
  'settlementbus.credit-support.restored.v1': {
    ...ROW,
    calculatedAt: '2026-03-03T10:15:30',
    creditSupport: '1000000',
    creditLimit: '1000000',
    difference: '0',
    transition: 0,
    level: 'SUFFICIENT',
  },
  'settlementbus.market.unreachable.v1': OUTAGE,
  'settlementbus.market.recovered.v1': { ...OUTAGE, recoveredAt: '2026-03-02T03:05:10.000Z' },
};

const TREND = {
  calculations: 12,
  from: '2026-02-27T10:15:30',
  to: '2026-03-02T10:15:30.250',
  changePerDay: '-42000.25',
} as const;

const ALL_THRESHOLDS = {
  ...AMOUNTS,
  tradingLimit: '1000000',
  deepeningStep: '50000',
  minDurationSeconds: 600,
} as const;

const WARNING = PRUDENTIAL_FACTS['settlementbus.margin.warning.v1'];
const RESTORED = PRUDENTIAL_FACTS['settlementbus.margin.restored.v1'];

/** Further data of some types, with the members that the examples do not have. */
export const FURTHER_PRUDENTIAL_FACTS: readonly {
  readonly [Type in PrudentialType]: { readonly type: Type; readonly data: EventDataByType[Type] };
}[PrudentialType][] = [
  {
    type: 'settlementbus.position.stale.v1',
    data: { ...PAUSE, neverCalculated: true, staleSince: '2026-03-02T12:15:30.250' },
  },
  {
    type: 'settlementbus.position.resumed.v1',
    data: {
      ...PAUSE,
      neverCalculated: true,
      calculatedAt: '2026-03-02T13:40:02',
      tradingDay: '2026-03-02T00:00:00',
    },
  },
  {
    type: 'settlementbus.margin.warning.v1',
    data: { ...WARNING, thresholds: ALL_THRESHOLDS, previousMargin: '260000' },
  },
  {
    type: 'settlementbus.margin.restored.v1',
    data: { ...RESTORED, thresholds: ALL_THRESHOLDS, previousMargin: '-60000.5' },
  },
  {
    type: 'settlementbus.margin.breach-forecast.v1',
    data: {
      ...FORECAST_ROW,
      ...ROW,
      isForecast: false,
      method: 'trend',
      tradingMargin: '249999.98999999',
      level: 'FORECAST',
      daysUntilBreach: '3.5',
      breachDay: '2026-03-06',
      trend: TREND,
    },
  },
  {
    type: 'settlementbus.margin.forecast-cleared.v1',
    data: {
      ...FORECAST_ROW,
      ...ROW,
      isForecast: false,
      method: 'trend',
      level: 'CLEAR',
      daysUntilBreach: '9.1',
      breachDay: '2026-03-11',
      trend: { ...TREND, changePerDay: '-10000' },
    },
  },
];
