import {
  createFactEvent,
  validateDetectedEvent,
  type EventDataByType,
  type Fact,
  type FactType,
} from '@ssb/events';
import {
  parseDecimal,
  parseMarketDate,
  parseMarketDateTime,
  toInstant,
  toMarketDateTime,
  type SettlementInvoice,
  type SettlementStatementSummary,
} from '@ssb/market';
import type { DetectionSettings } from '@ssb/config';
import type { Detected, DetectionContext } from '../../src/detection/detection.js';
import type { SettlementRun } from '../../src/detection/settlement/runs.js';

export const day = parseMarketDate;
export const time = parseMarketDateTime;
export const decimal = parseDecimal;

export const SETTINGS: DetectionSettings = {
  margin: {
    warning: { kind: 'amount', amount: decimal('250000') },
    breach: { kind: 'amount', amount: decimal('100000') },
    hysteresis: { kind: 'amount', amount: decimal('0') },
    deepeningStep: { kind: 'amount', amount: decimal('100000') },
    minDurationMs: 0,
    severity: { warning: 'warning', breached: 'critical', restored: 'info' },
  },
  forecast: { horizonDays: 7, trend: { method: 'none', calculations: 8, minSpanMs: 0 } },
  position: { staleAfterMs: 3_600_000, days: [1, 2, 3, 4, 5] },
  settlement: { overdueGraceMs: 3_600_000, estimations: true, markets: ['WEM', 'NSTEM', 'STEM'] },
  payments: { remindDaysBefore: [5, 1], dayKind: 'calendar', positiveAmount: 'pay' },
  disagreement: {},
  discrepancies: { gstPercent: decimal('10'), gstTolerance: decimal('0.01') },
  market: { unreachableAfterMs: 300_000 },
  calendar: { businessDays: [1, 2, 3, 4, 5], holidays: new Set() },
};

/** @param now market time */
export const at = (now: string, settings: DetectionSettings = SETTINGS): DetectionContext => ({
  participant: 'ALPHA',
  settings,
  now: toInstant(time(now)),
});

/** The market time so many minutes after noon of 2026-03-14. */
export const afterMinutes = (minutes: number): string =>
  toMarketDateTime(new Date(toInstant(time('2026-03-14T12:00:00')).getTime() + minutes * 60_000));

/** A run of WEM: the statement is due on 2026-03-12, the invoice on the 13th, the payment on the 17th. */
export const RUN: SettlementRun = {
  marketService: 'WEM',
  period: 'TW 01 Mar 2026',
  periodFrom: time('2026-03-01T00:00:00'),
  periodTo: time('2026-03-07T00:00:00'),
  designation: 'INITIAL',
  commencementDate: time('2026-03-09T00:00:00'),
  statementDate: time('2026-03-12T00:00:00'),
  invoiceDate: time('2026-03-13T00:00:00'),
  settlementDate: time('2026-03-17T00:00:00'),
};

const variable = (name: string, pOrC: 'P' | 'C', value: string) =>
  ({ variable: name, pOrC, gstApplicable: 'Y', value: decimal(value) }) as const;

/** Payments of 123456789012345.67890123, charges of 30.5. */
export const STATEMENT: SettlementStatementSummary = {
  runId: 4711,
  publishedAt: time('2026-03-12T17:00:05'),
  marketService: 'WEM',
  designation: 'INITIAL',
  period: 'TW 01 Mar 2026',
  periodFrom: time('2026-03-01T00:00:00'),
  periodTo: time('2026-03-07T00:00:00'),
  participantCode: 'ALPHA',
  tradingDays: [
    {
      tradingDay: time('2026-03-01T00:00:00'),
      variables: [variable('SALE', 'P', '123456789012345.67890123'), variable('ENERGY', 'C', '10.25')],
    },
    { tradingDay: time('2026-03-02T00:00:00'), variables: [variable('ENERGY', 'C', '20.25')] },
  ],
};

/** The same statement with 1.5 more of charges on its second day. */
export const REVISED: SettlementStatementSummary = {
  ...STATEMENT,
  runId: 4712,
  publishedAt: time('2026-03-14T09:30:00'),
  tradingDays: STATEMENT.tradingDays.map((each, index) =>
    index === 0 ? each : { ...each, variables: [variable('ENERGY', 'C', '21.75')] },
  ),
};

/** Charges of 100.01 with GST of 10.00 and 50.00 without GST; payments of 30.00 with GST of 3.00. */
export const INVOICE: SettlementInvoice = {
  id: 'INV-1',
  invoiceDate: day('2026-03-13'),
  dueDate: day('2026-03-27'),
  market: 'WEM',
  tradeWeek: 'TW 01 MAR 2026',
  adjustment: 0,
  paymentSummary: {
    lineItems: [
      { code: 'ENERGY', amount: decimal('100.01'), gstApplicable: true },
      { code: 'FEES', amount: decimal('50.00'), gstApplicable: false },
      { code: 'GST', amount: decimal('10.00') },
      { code: 'SALE', amount: decimal('-33.00') },
    ],
    total: decimal('127.01'),
    payableAmount: decimal('127.01'),
    settlementRequired: true,
  },
  recipientCreatedTaxInvoice: {
    id: 'INV-1-R',
    gstApplicable: [{ amount: decimal('30.00') }],
    gstFree: [],
    total: { gstExclusive: decimal('30.00'), gst: decimal('3.00'), gstInclusive: decimal('33.00') },
  },
  taxInvoice: {
    id: 'INV-1-T',
    gstApplicable: [{ amount: decimal('100.01') }],
    gstFree: [{ amount: decimal('50.00') }],
    total: { gstExclusive: decimal('150.01'), gst: decimal('10.00'), gstInclusive: decimal('160.01') },
  },
};

export type Step<State> = (previous: State | undefined) => Detected<State>;

export interface StateForm<State> {
  readonly parse: (text: string) => State | undefined;
  readonly format: (state: State) => string;
}

/**
 * Feeds each response twice, from the state and from its saved text. The second time must raise nothing, and the text must make no difference.
 *
 * @returns the facts of each step
 */
export function play<State>(
  { parse, format }: StateForm<State>,
  initial: State | undefined,
  ...steps: readonly Step<State>[]
): Fact[][] {
  let state = initial;
  return steps.map((step) => {
    const first = step(state);
    const restored = step(state === undefined ? undefined : parse(format(state)));
    expect(restored).toEqual(first);
    expect(idsOf(restored.facts)).toEqual(idsOf(first.facts));
    state = parse(format(first.state));
    expect(state).toEqual(first.state);
    expect(step(state)).toEqual({ ...first, facts: [] });
    return [...first.facts];
  });
}

/** The ids of the events, which must match their schemas. */
export function idsOf(facts: readonly Fact[]): string[] {
  return facts.map((fact) => {
    const detection = {
      detectedAt: new Date('2026-03-02T02:15:31.007Z'),
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    };
    const event = createFactEvent(fact, 'ALPHA', detection);
    expect(validateDetectedEvent(event)).toMatchObject({ ok: true });
    return event.id;
  });
}

/** `statement.published` for `settlementbus.statement.published.v1`. */
export function typesOf(facts: readonly Fact[]): string[] {
  return facts.map(({ type }) => type.slice('settlementbus.'.length, -'.v1'.length));
}

/** The data of the facts of a type. */
export function dataOf<Type extends FactType>(type: Type, facts: readonly Fact[]): EventDataByType[Type][] {
  return facts.flatMap((fact) => (fact.type === type ? [fact.data as EventDataByType[Type]] : []));
}
