import { isEventType, type EventType } from '@ssb/events';
import { escapeLine, toPrintable } from '@ssb/net';

/** One line of a message: what a figure is, and its value with every digit. */
export interface Figure {
  readonly label: string;
  readonly value: string;
}

/** How a value is written: AUD with separators, a date, a market time without a zone, a UTC time, seconds, or as it is. */
type Form = 'amount' | 'date' | 'market-time' | 'utc' | 'seconds' | 'text';

/** `title`: it is also in the title of the message. */
type FigureDefinition = readonly [path: string, label: string, form: Form, title?: 'title'];

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
  ['tradingMargin', 'Trading margin', 'amount', 'title'],
  ['thresholds.warning', 'Warning threshold', 'amount'],
  ['thresholds.breach', 'Breach threshold', 'amount'],
  ['previousMargin', 'Margin announced before', 'amount'],
  ['outstandingAmount', 'Outstanding amount', 'amount'],
  ['level', 'Level', 'text'],
  ...CALCULATION,
];
const FORECAST: readonly FigureDefinition[] = [
  ['tradingMargin', 'Trading margin', 'amount', 'title'],
  ['breach', 'Breach threshold', 'amount'],
  ['breachDay', 'Day of the forecast breach', 'date'],
  ['daysUntilBreach', 'Days until then', 'text'],
  ['method', 'Forecast by', 'text'],
  ...CALCULATION,
];
const CREDIT_SUPPORT: readonly FigureDefinition[] = [
  ['creditSupport', 'Credit support', 'amount'],
  ['creditLimit', 'Credit limit', 'amount'],
  ['difference', 'Difference', 'amount', 'title'],
  ...CALCULATION,
];
const STATEMENT: readonly FigureDefinition[] = [
  ...RUN,
  ['totals.payment', 'Operator pays', 'amount'],
  ['totals.charge', 'Participant pays', 'amount'],
  ['difference.payment', 'Change of what the operator pays', 'amount'],
  ['difference.charge', 'Change of what the participant pays', 'amount'],
  ['runId', 'Run', 'text'],
  ['publishedAt', 'Published at', 'market-time'],
];
const INVOICE: readonly FigureDefinition[] = [
  ['id', 'Invoice', 'text', 'title'],
  ['invoiceId', 'Invoice', 'text', 'title'],
  ['reversed.id', 'Reversed invoice', 'text'],
  ['payableAmount', 'Amount to settle', 'amount', 'title'],
  ['direction', 'Direction', 'text'],
  ['total', 'Total', 'amount'],
  ['changed.payableAmount', 'Amount to settle before', 'amount'],
  ['reversed.payableAmount', 'Amount of the reversed invoice', 'amount'],
  ['dueDate', 'Due date', 'date'],
  ['daysLeft', 'Days left', 'text'],
  ['invoiceDate', 'Invoice date', 'date'],
  ...RUN,
];
const POSITION_PAUSE: readonly FigureDefinition[] = [
  ['lastCalculatedAt', 'Last calculation', 'market-time'],
  ['staleSince', 'Overdue since', 'market-time'],
  ['calculatedAt', 'Calculated again at', 'market-time'],
  ['allowedSeconds', 'Allowed pause', 'seconds'],
];
const ACCESS: readonly FigureDefinition[] = [
  ['interface', 'Interface', 'text', 'title'],
  ['cause', 'Cause', 'text'],
  ['detail', 'Detail', 'text'],
  ['since', 'Failing since', 'utc'],
  ['recoveredAt', 'Recovered at', 'utc'],
];
const FAULT: readonly FigureDefinition[] = [
  ['reason', 'Fault', 'text', 'title'],
  ['app', 'Reported by', 'text'],
  ['detail', 'Detail', 'text'],
  ['interface', 'Interface or sink', 'text'],
  ['channel', 'Channel', 'text'],
  ['count', 'Occurrences', 'text'],
  ['since', 'Since', 'utc'],
  ['clearedAt', 'Ended at', 'utc'],
];

const FIGURES: Readonly<Record<EventType, readonly FigureDefinition[]>> = {
  'settlementbus.statement.published.v1': STATEMENT,
  'settlementbus.statement.revised.v1': STATEMENT,
  'settlementbus.statement.overdue.v1': [
    ...RUN,
    ['statementDate', 'Statement date', 'date'],
    ['overdueSince', 'Overdue since', 'market-time'],
  ],
  'settlementbus.invoice.issued.v1': INVOICE,
  'settlementbus.invoice.adjusted.v1': INVOICE,
  'settlementbus.invoice.reversed.v1': INVOICE,
  'settlementbus.invoice.overdue.v1': [
    ...RUN,
    ['invoiceDate', 'Invoice date', 'date'],
    ['overdueSince', 'Overdue since', 'market-time'],
  ],
  'settlementbus.invoice.discrepancy.v1': [...INVOICE, ['count', 'Amounts that do not agree', 'text']],
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

/** A detail of a fault has at most 500 characters. */
const MAX_VALUE_LENGTH = 600;

/**
 * The figures of an event that a person needs, the decisive one first. Amounts keep every digit. Texts are escaped, because labels and details
 * can come from others.
 * @param onlyTitle those of the title
 */
export function eventFigures(type: string, data: unknown, onlyTitle = false): Figure[] {
  if (!isEventType(type)) return [];
  return FIGURES[type].flatMap(([path, label, form, title]) => {
    if (onlyTitle && title === undefined) return [];
    const value = readPath(data, path);
    // A receiver can refuse an empty text.
    if ((typeof value !== 'string' && typeof value !== 'number') || value === '') return [];
    return [{ label, value: FORMATS[form](String(value)) }];
  });
}

function readPath(data: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
      data,
    );
}

const FORMATS: Readonly<Record<Form, (value: string) => string>> = {
  amount: formatAmount,
  date: formatMarketDate,
  'market-time': formatMarketTime,
  utc: (value) => `${escapeLine(value.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ''))} UTC`,
  seconds: formatSeconds,
  text: (value) => toPrintable(value, MAX_VALUE_LENGTH),
};

/** `-1234567.890` → `-1,234,567.890 AUD`. */
export function formatAmount(amount: string): string {
  const [whole = '', fraction] = amount.split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return escapeLine(`${grouped}${fraction === undefined ? '' : `.${fraction}`} AUD`);
}

function formatMarketDate(date: string): string {
  return escapeLine(date.slice(0, 10));
}

/** A day without a time where it begins at midnight, as trading days do. */
function formatMarketTime(time: string): string {
  const [day = '', clock = ''] = time.split('T');
  const seconds = clock.split('.')[0] ?? '';
  return escapeLine(/^(?:00:00:00)?$/.test(seconds) ? day : `${day} ${seconds} market time (UTC+8)`);
}

function formatSeconds(text: string): string {
  const seconds = Number(text);
  const [count, unit] =
    seconds >= 7_200
      ? [seconds / 3_600, 'hours']
      : seconds >= 120
        ? [seconds / 60, 'minutes']
        : [seconds, 'seconds'];
  return `${Number(count.toFixed(1))} ${unit}`;
}
