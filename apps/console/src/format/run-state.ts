import type { CalendarRow, InvoiceRow } from '../api/operations.js';
import type { Tone } from '../ui/badge.js';

/** `due`: the invoice is issued and its payment is still to come. Whether it was paid is unknown to the bridge. */
export type RunState = CalendarRow['status'] | 'due';

/** A state as every page shows it. */
export interface StateText {
  readonly label: string;
  readonly tone: Tone;
}

type Payable = Pick<InvoiceRow, 'payableAmount' | 'direction'>;
type Run = Payable & Pick<CalendarRow, 'status' | 'paymentDueDate'>;
type Invoice = Payable & Pick<InvoiceRow, 'status' | 'dueDate' | 'replacedBy'>;

export function findState({ status, paymentDueDate, ...payable }: Run, today: string): RunState {
  return status === 'invoiced' && isToCome(payable, paymentDueDate, today) ? 'due' : status;
}

const TEXTS: Readonly<Record<CalendarRow['status'], StateText>> = {
  expected: { label: 'expected', tone: 'muted' },
  overdue: { label: 'overdue', tone: 'warning' },
  published: { label: 'published', tone: 'info' },
  revised: { label: 'revised', tone: 'warning' },
  invoiced: { label: 'invoiced', tone: 'info' },
  removed: { label: 'removed', tone: 'muted' },
};

/** The state of a run in words. */
export function describeRunState(run: Run, today: string): StateText {
  const state = findState(run, today);
  return state === 'due' ? describeDue(run) : TEXTS[state];
}

/** The state of an invoice, in the words of its run. */
export function describeInvoiceState(invoice: Invoice, today: string): StateText {
  const { status, dueDate, replacedBy } = invoice;
  if (status === 'overdue') return TEXTS.overdue;
  if (status === 'reversed') return { label: 'reversed', tone: 'muted' };
  if (replacedBy !== undefined) return { label: 'replaced', tone: 'muted' };
  const isDue = status === 'due' || isToCome(invoice, dueDate, today);
  return isDue ? describeDue(invoice) : TEXTS.invoiced;
}

/** A payment by the participant needs a person; one to the participant does not. */
const describeDue = ({ direction }: Payable): StateText => ({
  label: direction === undefined ? 'payment due' : `to ${direction}`,
  tone: direction === 'receive' ? 'info' : 'warning',
});

const isToCome = ({ payableAmount = '1' }: Payable, dueDate: string | undefined, today: string): boolean =>
  dueDate !== undefined && dueDate >= today && /[1-9]/.test(payableAmount);
