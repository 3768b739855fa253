import type { EventRow } from '../../../api/operations.js';
import { formatAmount, isZero, withoutSign } from '../../../format/amount.js';
import { formatBytes } from '../../../format/bytes.js';
import { countOf } from '../../../format/count.js';
import { shortType } from '../../../format/event-type.js';
import { formatDay } from '../../../format/market-time.js';
import { toWords } from '../../../format/names.js';
import { subtractAmounts } from '../../../format/subtract.js';

/** What a row shows of an event: `receive`, `19622.17` and `due 2 Apr`. Each part may be missing. */
export interface RowFigure {
  /** Before the amount, or instead of one. */
  readonly words?: string;
  /** A decimal text. */
  readonly amount?: string;
  /** After the amount; left out where there is no room. */
  readonly more?: string;
}

type Figures = Readonly<Record<string, string | undefined>>;

export function rowFigureOf({ type, figures }: Pick<EventRow, 'type' | 'figures'>): RowFigure {
  const known = figures as Figures;
  const short = shortType(type);
  switch (short) {
    case 'statement.published':
    case 'statement.revised':
      return describeNet(known);
    case 'statement.overdue':
      return describeDay('due', known['statementDate']);
    case 'invoice.overdue':
      return describeDay('due', known['invoiceDate']);
    case 'statement.disagreement-due':
    case 'statement.disagreement-lapsed':
      return describeDay('until', known['disagreeUntil']);
    case 'invoice.issued':
    case 'invoice.adjusted':
    case 'payment.due':
      return describePayment(known, (day) => `due ${day}`);
    case 'invoice.reversed':
      return describePayment(known, () => 'no longer due');
    case 'invoice.discrepancy':
      return describeAmount(known['stated'], 'expected', known['expected']);
    case 'margin.warning':
      return describeAmount(known['tradingMargin'], 'below', known['warning']);
    case 'margin.breached':
      return describeAmount(known['tradingMargin'], 'below', known['breach']);
    case 'margin.restored':
      return describeAmount(
        known['tradingMargin'],
        'above',
        known[known['level'] === 'OK' ? 'warning' : 'breach'],
      );
    case 'margin.breach-forecast':
      return { ...describeAmount(known['tradingMargin']), ...describeMore('on', known['breachDay']) };
    case 'position.calculated':
      return known['tradingMargin'] === undefined ? {} : { words: 'margin', amount: known['tradingMargin'] };
    case 'margin.forecast-cleared':
      return describeAmount(known['tradingMargin']);
    case 'credit-support.short':
    case 'credit-support.restored':
      return describeAmount(known['creditSupport'], 'limit', known['creditLimit']);
    default:
      return describeOther(short, known);
  }
}

/** Of an event without an amount. */
function describeOther(type: string, { bytes, count, cause, detail, lastCalculatedAt }: Figures): RowFigure {
  switch (type) {
    case 'invoice.document-stored':
      return bytes === undefined ? {} : { words: formatBytes(Number(bytes)) };
    case 'timeline.changed':
      return count === undefined ? {} : { words: countOf(Number(count), 'change') };
    case 'market.unreachable':
    case 'market.recovered':
      return cause === undefined ? {} : { words: toWords(cause) };
    case 'position.stale':
    case 'position.resumed':
      return describeDay(`since ${lastCalculatedAt?.slice(11, 16)},`, lastCalculatedAt?.slice(0, 10));
    case 'bridge.alert.raised':
      return detail === undefined ? {} : { words: detail };
    default:
      return {};
  }
}

/** What the operator pays, less what the participant pays. */
function describeNet({ payment, charge }: Figures): RowFigure {
  return payment === undefined || charge === undefined
    ? {}
    : { words: 'net', amount: subtractAmounts(payment, charge) };
}

/** The direction says the sign. */
function describePayment(
  { payableAmount, total, direction, dueDate }: Figures,
  describeDue: (day: string) => string,
): RowFigure {
  const amount = payableAmount ?? total;
  if (amount === undefined) return {};
  // Without a direction the sign is all that is known.
  if (direction === undefined) return isZero(amount) ? { words: 'nothing to settle' } : { amount };
  return {
    words: direction,
    amount: withoutSign(amount),
    ...(dueDate !== undefined && { more: describeDue(shortDay(dueDate)) }),
  };
}

function describeAmount(amount: string | undefined, word = '', other?: string): RowFigure {
  return {
    ...(amount !== undefined && { amount }),
    ...(other !== undefined && { more: `${word} ${formatAmount(other)}` }),
  };
}

const describeDay = (word: string, day: string | undefined): RowFigure =>
  day === undefined ? {} : { words: `${word} ${shortDay(day)}` };

const describeMore = (word: string, day: string | undefined): RowFigure =>
  day === undefined ? {} : { more: `${word} ${shortDay(day)}` };

/** `2 Apr`: the heading of the day has the year. */
const shortDay = (day: string): string => formatDay(day).split(' ').slice(1, 3).join(' ');
