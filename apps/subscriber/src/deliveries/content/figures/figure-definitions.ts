import type { EventType } from '@ssb/events';
import { subtractDecimals, tryParseDecimal } from '@ssb/market/decimal';
import type { Form } from '../formats.js';

/** Where a figure is in the data of an event, or how it follows from them. */
export type Source = string | ((data: unknown) => string | undefined);
/** In the title of the message: the figure, or with the path of its earlier value also the change. */
type InTitle = 'title' | { readonly before: string };
export type FigureDefinition = readonly [source: Source, label: string, form: Form, inTitle?: InTitle];

const RUN: readonly FigureDefinition[] = [
  ['marketService', 'Market', 'text', 'title'],
  ['market', 'Market', 'text', 'title'],
  ['designation', 'Settlement run', 'text', 'title'],
  ['period', 'Period', 'text', 'title'],
  ['periodFrom', 'First trading day', 'market-time'],
];
const CALCULATION: readonly FigureDefinition[] = [
  ['tradingDay', 'Trading day', 'market-time'],
  ['calculatedAt', 'Calculated at', 'market-time'],
];
const MARGIN: readonly FigureDefinition[] = [
  ['tradingMargin', 'Trading margin', 'amount', { before: 'previousMargin' }],
  ['previousMargin', 'Margin announced before', 'amount'],
  [deeperBy, 'Deeper by', 'amount'],
  ['thresholds.warning', 'Warning threshold', 'amount'],
  ['thresholds.breach', 'Breach threshold', 'amount'],
  ['outstandingAmount', 'Outstanding amount', 'amount'],
  ['level', 'Level', 'text'],
  [levelBefore, 'Level before', 'text'],
  ...CALCULATION,
];
const FORECAST: readonly FigureDefinition[] = [
  ['tradingMargin', 'Trading margin', 'amount', 'title'],
  ['breach', 'Breach threshold', 'amount'],
  ['breachDay', 'Day of the forecast breach', 'date'],
  ['daysUntilBreach', 'Days until then', 'number'],
  ['method', 'Forecast by', 'text'],
  ...CALCULATION,
];
const CREDIT_SUPPORT: readonly FigureDefinition[] = [
  ['creditSupport', 'Credit support', 'amount'],
  ['creditLimit', 'Credit limit', 'amount'],
  ['difference', 'Difference', 'amount', 'title'],
  ...CALCULATION,
];
const LATE: readonly FigureDefinition[] = [
  ['late.dueDate', 'Due to be published', 'date'],
  ['late.seconds', 'Late by', 'seconds'],
];
const STATEMENT: readonly FigureDefinition[] = [
  ...RUN,
  ['totals.payment', 'Operator pays', 'amount'],
  ['totals.charge', 'Participant pays', 'amount'],
  ['difference.payment', 'Change of what the operator pays', 'amount'],
  ['difference.charge', 'Change of what the participant pays', 'amount'],
  ['runId', 'Run', 'text'],
  ['previous.runId', 'Run before', 'text'],
  ...LATE,
  ['publishedAt', 'Published at', 'market-time'],
  ['disagreeUntil', 'Last day to dispute', 'date'],
];
const DISAGREEMENT: readonly FigureDefinition[] = [
  ['disagreeUntil', 'Last day to dispute', 'date'],
  ['businessDaysLeft', 'Business days left', 'text'],
  ...RUN,
  ['publishedAt', 'Published at', 'market-time'],
  ['runId', 'Run', 'text'],
];
const INVOICE: readonly FigureDefinition[] = [
  ['id', 'Invoice', 'text', { before: 'reversed.id' }],
  ['invoiceId', 'Invoice', 'text', 'title'],
  ['reversed.id', 'Reversed invoice', 'text'],
  ['reversedId', 'Invoice reversal', 'text'],
  ['payableAmount', 'Amount to settle', 'amount', { before: 'changed.payableAmount' }],
  ['direction', 'Who pays', 'payer'],
  ['total', 'Total', 'amount'],
  ['gstExclusive', 'Total without GST', 'amount'],
  ['gst', 'GST', 'amount'],
  ['changed.payableAmount', 'Amount to settle before', 'amount'],
  ['reversed.payableAmount', 'Amount of the reversed invoice', 'amount'],
  ['dueDate', 'Due date', 'date'],
  ['daysLeft', 'Days left', 'text'],
  ['dayTotals.payable', 'Payable on that day', 'amount'],
  ['dayTotals.receivable', 'Receivable on that day', 'amount'],
  ['dayTotals.net', 'Net on that day', 'amount'],
  ['invoiceDate', 'Invoice date', 'date'],
  ...LATE,
  ...RUN,
];
/** With the amount of the reversed invoice in the place of the earlier one. Without a replacement, nothing is to be settled. */
const REVERSED_INVOICE: readonly FigureDefinition[] = INVOICE.map((definition) => {
  switch (definition[0]) {
    case 'payableAmount':
      return [
        ofReplacement('payableAmount'),
        'Amount to settle',
        'amount',
        { before: 'reversed.payableAmount' },
      ];
    case 'direction':
      return [ofReplacement('direction'), 'Who pays', 'payer'];
    case 'dueDate':
      return [ofReplacement('dueDate'), 'Due date', 'date'];
    default:
      return definition;
  }
});
const POSITION_PAUSE: readonly FigureDefinition[] = [
  [(data) => lastCalculation(data, false), 'Last calculation', 'market-time'],
  [(data) => lastCalculation(data, true), 'First poll', 'market-time'],
  ['staleSince', 'Overdue since', 'market-time'],
  ['calculatedAt', 'Calculated again at', 'market-time'],
  ['allowedSeconds', 'Allowed pause', 'seconds'],
];
const ACCESS: readonly FigureDefinition[] = [
  ['interface', 'Interface', 'text', 'title'],
  ['cause', 'Cause', 'text'],
  ['detail', 'Detail', 'text'],
  ['since', 'Failing since', 'instant'],
  ['recoveredAt', 'Recovered at', 'instant'],
];
const FAULT: readonly FigureDefinition[] = [
  ['reason', 'Fault', 'text', 'title'],
  ['app', 'Reported by', 'text'],
  ['detail', 'Detail', 'text'],
  ['interface', 'Interface or sink', 'text', 'title'],
  ['document', 'Document', 'text'],
  ['channel', 'Channel', 'text'],
  ['count', 'Occurrences', 'text'],
  ['since', 'Began at', 'instant'],
  ['clearedAt', 'Ended at', 'instant'],
];

/** In the order of the messages, the decisive one first. */
export const FIGURES: Readonly<Record<EventType, readonly FigureDefinition[]>> = {
  'settlementbus.statement.published.v1': STATEMENT,
  'settlementbus.statement.revised.v1': STATEMENT,
  'settlementbus.statement.overdue.v1': [
    ...RUN,
    ['statementDate', 'Statement date', 'date'],
    ['overdueSince', 'Overdue since', 'market-time'],
  ],
  'settlementbus.statement.disagreement-due.v1': DISAGREEMENT,
  'settlementbus.statement.disagreement-lapsed.v1': DISAGREEMENT,
  'settlementbus.invoice.issued.v1': INVOICE,
  'settlementbus.invoice.adjusted.v1': INVOICE,
  'settlementbus.invoice.reversed.v1': REVERSED_INVOICE,
  'settlementbus.invoice.overdue.v1': [
    ...RUN,
    ['invoiceDate', 'Invoice date', 'date'],
    ['overdueSince', 'Overdue since', 'market-time'],
  ],
  'settlementbus.invoice.discrepancy.v1': [...INVOICE, ['count', 'Amounts that do not agree', 'text']],
  'settlementbus.invoice.document-stored.v1': [
    ...INVOICE,
    ['bytes', 'Size in bytes', 'text'],
    ['sha256', 'SHA-256', 'text'],
    ['storedAt', 'Stored at', 'instant'],
  ],
  'settlementbus.payment.due.v1': INVOICE,
  'settlementbus.estimation.published.v1': [
    ['period', 'Period', 'text', 'title'],
    ['tradingDay', 'Trading day', 'market-time'],
    ['count', 'Variables', 'text'],
    ['publishedAt', 'Published at', 'market-time'],
  ],
  'settlementbus.timeline.changed.v1': [['count', 'Changed dates', 'text']],
  'settlementbus.position.calculated.v1': [...MARGIN, ['creditSupport', 'Credit support', 'amount']],
  'settlementbus.position.stale.v1': POSITION_PAUSE,
  'settlementbus.position.resumed.v1': POSITION_PAUSE,
  'settlementbus.margin.warning.v1': MARGIN,
  'settlementbus.margin.breached.v1': MARGIN,
  'settlementbus.margin.restored.v1': MARGIN,
  'settlementbus.margin.breach-forecast.v1': FORECAST,
  'settlementbus.margin.forecast-cleared.v1': FORECAST,
  'settlementbus.credit-support.short.v1': CREDIT_SUPPORT,
  'settlementbus.credit-support.restored.v1': CREDIT_SUPPORT,
  'settlementbus.market.unreachable.v1': ACCESS,
  'settlementbus.market.recovered.v1': ACCESS,
  'settlementbus.bridge.alert.raised.v1': FAULT,
  'settlementbus.bridge.alert.cleared.v1': FAULT,
  'settlementbus.bridge.heartbeat.v1': [],
};

/** How much a margin is below the one that was announced before; undefined unless a breach deepened. */
export function deeperBy(data: unknown): string | undefined {
  const { tradingMargin, previousMargin } = (data ?? {}) as Readonly<Record<string, unknown>>;
  const [now, before] = [tradingMargin, previousMargin].map((amount) => tryParseDecimal(String(amount)));
  return now === undefined || before === undefined ? undefined : subtractDecimals(before, now);
}

/** A value of the invoice that replaces a reversed one. Without a replacement, the data are those of the reversed one. */
function ofReplacement(name: 'payableAmount' | 'direction' | 'dueDate'): Source {
  return (data) => {
    const { id, reversed, [name]: value } = (data ?? {}) as Readonly<Record<string, unknown>>;
    const isReplaced = id !== (reversed as { readonly id?: unknown } | undefined)?.id;
    return isReplaced && typeof value === 'string' ? value : undefined;
  };
}

/** A breach that deepened has the level that it had. */
function levelBefore(data: unknown): string | undefined {
  const { level, previousLevel } = (data ?? {}) as Readonly<Record<string, unknown>>;
  return typeof previousLevel === 'string' && previousLevel !== level ? previousLevel : undefined;
}

/** The first poll has the place of the last calculation when the operator has made none. */
function lastCalculation(data: unknown, isFirstPoll: boolean): string | undefined {
  const { lastCalculatedAt, neverCalculated } = (data ?? {}) as Readonly<Record<string, unknown>>;
  const isWanted = (neverCalculated === true) === isFirstPoll && typeof lastCalculatedAt === 'string';
  return isWanted ? lastCalculatedAt : undefined;
}
