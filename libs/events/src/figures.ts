import type { EventType } from './envelope/event-type.js';

/** Values by name: decimal strings with every digit, times and names, as the event has them. */
export type Figures = Readonly<Record<string, string>>;

const MARGIN = ['tradingMargin', 'previousMargin', 'level', 'thresholds.warning', 'thresholds.breach'];
const FORECAST = ['tradingMargin', 'breach', 'breachDay'];
const CREDIT_SUPPORT = ['difference', 'creditSupport', 'creditLimit'];
const STATEMENT = ['totals.payment', 'totals.charge'];
const INVOICE = ['payableAmount', 'total', 'direction', 'dueDate'];

/** Paths in the `data` of each type to what a person looks for first. */
const FIGURES: Readonly<Record<EventType, readonly string[]>> = {
  'settlementbus.statement.published.v1': STATEMENT,
  'settlementbus.statement.revised.v1': STATEMENT,
  'settlementbus.statement.overdue.v1': ['statementDate', 'overdueSince'],
  'settlementbus.statement.disagreement-due.v1': ['disagreeUntil', 'businessDaysLeft'],
  'settlementbus.statement.disagreement-lapsed.v1': ['disagreeUntil'],
  'settlementbus.invoice.issued.v1': INVOICE,
  'settlementbus.invoice.adjusted.v1': INVOICE,
  'settlementbus.invoice.reversed.v1': INVOICE.map((name) => `reversed.${name}`),
  'settlementbus.invoice.overdue.v1': ['invoiceDate', 'overdueSince'],
  'settlementbus.invoice.discrepancy.v1': ['discrepancies.0.stated', 'discrepancies.0.expected', 'count'],
  'settlementbus.invoice.document-stored.v1': ['bytes'],
  'settlementbus.payment.due.v1': ['payableAmount', 'direction', 'dueDate', 'daysLeft'],
  'settlementbus.estimation.published.v1': ['tradingDay'],
  'settlementbus.timeline.changed.v1': ['count'],
  'settlementbus.position.calculated.v1': ['tradingMargin', 'outstandingAmount', 'tradingDay'],
  'settlementbus.position.stale.v1': ['lastCalculatedAt', 'staleSince'],
  'settlementbus.position.resumed.v1': ['lastCalculatedAt', 'calculatedAt'],
  'settlementbus.margin.warning.v1': MARGIN,
  'settlementbus.margin.breached.v1': MARGIN,
  'settlementbus.margin.restored.v1': MARGIN,
  'settlementbus.margin.breach-forecast.v1': FORECAST,
  'settlementbus.margin.forecast-cleared.v1': FORECAST,
  'settlementbus.credit-support.short.v1': CREDIT_SUPPORT,
  'settlementbus.credit-support.restored.v1': CREDIT_SUPPORT,
  'settlementbus.market.unreachable.v1': ['interface', 'cause', 'since'],
  'settlementbus.market.recovered.v1': ['interface', 'cause', 'recoveredAt'],
  'settlementbus.bridge.alert.raised.v1': ['reason', 'count', 'detail'],
  'settlementbus.bridge.alert.cleared.v1': ['reason', 'count'],
  'settlementbus.bridge.heartbeat.v1': [],
};

/** The figures of an event for a listing. Empty for an unknown type. */
export function readEventFigures(type: string, data: unknown): Figures {
  return pickFigures(data, (FIGURES as Readonly<Record<string, readonly string[]>>)[type] ?? []);
}

/**
 * The texts and numbers at these paths, where the data have them.
 * @param paths such as `thresholds.breach`, whose figure is named `breach`
 */
export function pickFigures(data: unknown, paths: readonly string[]): Figures {
  return Object.fromEntries(
    paths.flatMap((path) => {
      const names = path.split('.');
      const value = names.reduce(readMember, data);
      return typeof value === 'string' || typeof value === 'number'
        ? [[names.at(-1) ?? path, String(value)] as const]
        : [];
    }),
  );
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
