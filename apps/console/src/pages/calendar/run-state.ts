import type { CalendarRow } from '../../api/operations.js';
import { subtractAmounts } from '../../format/subtract.js';
import { toMarketDay } from '../../format/market-time.js';
import { isNegative, withoutSign } from '../../format/amount.js';

export type Run = Pick<
  CalendarRow,
  | 'status'
  | 'statementDueDate'
  | 'statementOverdueSince'
  | 'invoiceDueDate'
  | 'invoiceOverdueSince'
  | 'paymentDueDate'
  | 'payableAmount'
  | 'direction'
  | 'disagreeUntil'
  | 'payment'
  | 'charge'
> &
  Partial<Pick<CalendarRow, 'designation'>>;

export interface RunDate {
  readonly what: string;
  readonly day: string;
}

/** What of a run is overdue, and on which day it was due. */
export function findOverdue(run: Run): RunDate | undefined {
  if (run.statementOverdueSince !== undefined)
    return { what: 'Statement was due', day: run.statementDueDate ?? dayOf(run.statementOverdueSince) };
  if (run.invoiceOverdueSince === undefined) return undefined;
  return { what: 'Invoice was due', day: run.invoiceDueDate ?? dayOf(run.invoiceOverdueSince) };
}

const dayOf = (time: string): string => toMarketDay(Date.parse(time));

/** The next date of a run that matters: what is overdue first, otherwise the earliest that is not past. */
export function findNextDate(run: Run, today: string): RunDate | undefined {
  const overdue = run.status === 'overdue' ? findOverdue(run) : undefined;
  if (overdue) return overdue;
  const isPublished = run.payment !== undefined;
  const dates: readonly (readonly [string, string | undefined])[] = [
    ['Statement due', isPublished ? undefined : run.statementDueDate],
    ['Invoice due', run.payableAmount === undefined ? run.invoiceDueDate : undefined],
    [describePayment(run.direction), run.paymentDueDate],
    ['Dispute until', run.disagreeUntil],
  ];
  return dates
    .flatMap(([what, day]) => (day === undefined || day < today ? [] : [{ what, day }]))
    .sort((one, other) => (one.day < other.day ? -1 : 1))[0];
}

function describePayment(direction: Run['direction']): string {
  if (direction === undefined) return 'Payment due';
  return direction === 'pay' ? 'Pay by' : 'Receive on';
}

export interface RunAmount {
  /** Undefined when nothing says who pays. */
  readonly direction: 'pay' | 'receive' | undefined;
  /** Without a sign when the direction is known. */
  readonly amount: string;
  readonly of: 'invoice' | 'statement';
}

/**
 * What the participant pays or receives: by the invoice, and before it by the statement. The statement of an adjustment has the whole
 * amounts of its period, of which only the difference from the run before is settled.
 */
export function findAmount(run: Run): RunAmount | undefined {
  const { payableAmount, direction, payment, charge, designation = 'INITIAL' } = run;
  if (payableAmount !== undefined) {
    const amount = direction === undefined ? payableAmount : withoutSign(payableAmount);
    return { direction, amount, of: 'invoice' };
  }
  if (payment === undefined || charge === undefined) return undefined;
  const net = subtractAmounts(payment, charge);
  if (designation !== 'INITIAL') return { direction: undefined, amount: net, of: 'statement' };
  return { direction: isNegative(net) ? 'pay' : 'receive', amount: withoutSign(net), of: 'statement' };
}
