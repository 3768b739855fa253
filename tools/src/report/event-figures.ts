import type { EventDataByType, EventType } from '@ssb/events';
import { parseDecimal, subtractDecimals } from '@ssb/market/decimal';

/** What decides in an event, and what follows it where the line has room. */
export interface EventFigures {
  readonly text: string;
  readonly more?: string;
}

type Describe<Type extends EventType> = (data: EventDataByType[Type]) => EventFigures;

/** By type. A type without an entry has no figure. */
const FIGURES: { readonly [Type in EventType]?: Describe<Type> } = {
  'settlementbus.statement.published.v1': ({ totals, tradingDays }) => ({
    text: `net ${formatNet(totals)}, ${countOf(tradingDays, 'day')}`,
  }),
  'settlementbus.statement.revised.v1': ({ totals, difference }) => ({
    text: `net ${formatNet(totals)}`,
    ...(difference && { more: `changed by ${formatNet(difference)}` }),
  }),
  'settlementbus.statement.overdue.v1': ({ overdueSince }) => missingSince(overdueSince),
  'settlementbus.statement.disagreement-due.v1': ({ businessDaysLeft, disagreeUntil }) => ({
    text: `${countOf(businessDaysLeft, 'business day')} left`,
    more: `until ${disagreeUntil}`,
  }),
  'settlementbus.statement.disagreement-lapsed.v1': ({ disagreeUntil }) => ({
    text: `no time left since ${disagreeUntil}`,
  }),
  'settlementbus.invoice.issued.v1': describePayment,
  'settlementbus.invoice.adjusted.v1': describePayment,
  'settlementbus.invoice.reversed.v1': ({ reversed }) => ({
    text: `no longer ${describePayment(reversed).text}`,
  }),
  'settlementbus.invoice.overdue.v1': ({ overdueSince }) => missingSince(overdueSince),
  'settlementbus.invoice.discrepancy.v1': ({ discrepancies: [first], count }) => ({
    text:
      first === undefined ? '' : `${formatAmount(first.stated)}, expected ${formatAmount(first.expected)}`,
    more: countOf(count, 'discrepancy', 'discrepancies'),
  }),
  'settlementbus.invoice.document-stored.v1': ({ bytes }) => ({
    text: `PDF of ${Math.ceil(bytes / 1_000)} kB`,
  }),
  'settlementbus.payment.due.v1': ({ daysLeft, ...payment }) => ({
    ...describePayment(payment),
    more: `${countOf(daysLeft, 'day')} left`,
  }),
  'settlementbus.estimation.published.v1': ({ tradingDay }) => ({ text: `of ${dayOf(tradingDay)}` }),
  'settlementbus.timeline.changed.v1': ({ count }) => ({ text: countOf(count, 'change') }),
  'settlementbus.position.stale.v1': ({ lastCalculatedAt }) => ({
    text: `last calculation ${minuteOf(lastCalculatedAt)}`,
  }),
  'settlementbus.position.resumed.v1': ({ lastCalculatedAt }) => ({
    text: `none since ${minuteOf(lastCalculatedAt)}`,
  }),
  'settlementbus.margin.warning.v1': ({ tradingMargin, thresholds }) =>
    marginBelow(tradingMargin, thresholds.warning),
  'settlementbus.margin.breached.v1': ({ tradingMargin, thresholds, previousMargin }) => ({
    ...marginBelow(tradingMargin, thresholds.breach),
    ...(previousMargin !== undefined && { more: `was ${formatAmount(previousMargin)}` }),
  }),
  'settlementbus.margin.restored.v1': ({ tradingMargin, level, thresholds }) => ({
    text: `margin ${formatAmount(tradingMargin)} above ${formatAmount(level === 'OK' ? thresholds.warning : thresholds.breach)}`,
  }),
  'settlementbus.margin.breach-forecast.v1': ({ tradingMargin, breachDay, breach }) => ({
    text:
      breachDay === undefined
        ? marginBelow(tradingMargin, breach).text
        : `below ${formatAmount(breach)} on ${breachDay}`,
    more: `margin ${formatAmount(tradingMargin)}`,
  }),
  'settlementbus.margin.forecast-cleared.v1': ({ tradingMargin }) => ({
    text: `margin ${formatAmount(tradingMargin)}`,
  }),
  'settlementbus.credit-support.short.v1': ({ creditSupport, creditLimit }) => ({
    text: `support ${formatAmount(creditSupport)}, limit ${formatAmount(creditLimit)}`,
  }),
  'settlementbus.credit-support.restored.v1': ({ creditSupport, creditLimit }) => ({
    text: `support ${formatAmount(creditSupport)}, limit ${formatAmount(creditLimit)}`,
  }),
  'settlementbus.bridge.alert.raised.v1': ({ reason, detail }) => ({
    text: reason,
    ...(detail && { more: detail }),
  }),
  'settlementbus.bridge.alert.cleared.v1': ({ reason }) => ({ text: reason }),
};

/** The figures of an event as a person reads them. */
export function describeFigures(type: string, data: unknown): EventFigures {
  const describe = (FIGURES as Readonly<Record<string, ((data: unknown) => EventFigures) | undefined>>)[type];
  return describe?.(data) ?? { text: '' };
}

interface Payment {
  readonly payableAmount?: string | undefined;
  readonly total?: string | undefined;
  readonly direction?: 'pay' | 'receive' | undefined;
  readonly dueDate?: string | undefined;
}

/** `pay 1,234,567.89 due 2026-12-03`. The direction says the sign. */
function describePayment({ payableAmount, total, direction, dueDate }: Payment): EventFigures {
  const amount = payableAmount ?? total;
  if (direction === undefined || amount === undefined) return { text: 'nothing to settle' };
  return { text: `${direction} ${formatAmount(amount.replace(/^-/, ''))} due ${dueDate}` };
}

/** What the operator pays, less what the participant pays. */
function formatNet({ payment, charge }: { readonly payment: string; readonly charge: string }): string {
  return formatAmount(subtractDecimals(parseDecimal(payment), parseDecimal(charge)));
}

function marginBelow(margin: string, threshold: string): EventFigures {
  return { text: `margin ${formatAmount(margin)} below ${formatAmount(threshold)}` };
}

const missingSince = (marketTime: string): EventFigures => ({
  text: `missing since ${minuteOf(marketTime)}`,
});
const dayOf = (marketTime: string): string => marketTime.slice(0, 10);
const minuteOf = (marketTime: string): string => marketTime.slice(0, 16).replace('T', ' ');

const CENTS = new Intl.NumberFormat('en-AU', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** `-1234567.891` becomes `-1,234,567.89`. It is rounded from all digits. */
function formatAmount(amount: string): string {
  return CENTS.format(amount as `${number}`);
}

function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
