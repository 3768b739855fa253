import type { Fact } from '@ssb/events';
import { addDays, parseMarketDate, toInstant, toMarketDate, type MarketDate } from '@ssb/market';
import { addBusinessDays, type DetectionSettings } from '@ssb/config';
import type { Detected, DetectionContext } from '../detection.js';
import { paymentOf, sumPayments } from './payment-totals.js';
import { nothingNew } from './publication.js';
import { selectNewFacts } from './raised-facts.js';
import type { InvoiceFigures, InvoiceState } from './states.js';

/** More than a reminder on each day of a year. */
const MAX_REMINDERS = 400;
/** Market days have no change of the clock. */
const DAY_MS = 24 * 3_600_000;

/** An operator that does not respond delays a reminder by at most this part of its day. */
export const MAX_WAIT_FOR_FRESH_INVOICE_MS = 6 * 3_600_000;

/**
 * Detects payment.due: every reminder whose day has come, until the due date has passed. The invoice must have had a response since that day
 * began, unless the response is missing for too long.
 *
 * @param lastResponseAt when the operator last responded for the invoice; undefined when that is unknown
 * @param listInvoices all known invoices of the participant, with this one, for the totals of the due date
 */
export function detectPaymentReminders(
  invoice: InvoiceState,
  context: DetectionContext,
  lastResponseAt?: Date,
  listInvoices: () => readonly InvoiceState[] = () => [invoice],
): Detected<InvoiceState> {
  const latestStart = context.now.getTime() - MAX_WAIT_FOR_FRESH_INVOICE_MS;
  const ready = listDueReminders(invoice, context).filter(
    (reminder) => isFresh(reminder, lastResponseAt) || startOf(reminder) < latestStart,
  );
  const { facts, raised } = selectNewFacts(ready, invoice.reminders, context, MAX_REMINDERS);
  const dueDate = invoice.current?.figures.dueDate;
  if (facts.length === 0 || dueDate === undefined) return nothingNew(invoice);
  // Not part of the identity: other invoices announce no reminder again.
  const dayTotals = sumPayments(listInvoices(), dueDate, context.settings.payments.positiveAmount);
  return {
    facts: facts.map((fact) => ({ ...fact, data: { ...fact.data, dayTotals } }) as PaymentDue),
    state: { ...invoice, reminders: raised },
    unreadable: [],
  };
}

/** Whether a reminder is due whose invoice had no response since its day began: it must be requested before. */
export function needsFreshInvoice(
  invoice: InvoiceState,
  context: DetectionContext,
  lastResponseAt: Date | undefined,
): boolean {
  const stale = listDueReminders(invoice, context).filter((reminder) => !isFresh(reminder, lastResponseAt));
  return selectNewFacts(stale, invoice.reminders, context, MAX_REMINDERS).facts.length > 0;
}

/** Those whose day has come, raised or not. */
function listDueReminders({ current }: InvoiceState, { settings, now }: DetectionContext): PaymentDue[] {
  const today = toMarketDate(now);
  if (current === undefined || current.figures.dueDate < today) return [];
  return createReminders(current.id, current.figures, settings, today).filter(
    ({ data }) => data.remindOn <= today,
  );
}

function isFresh(reminder: PaymentDue, lastResponseAt: Date | undefined): boolean {
  return lastResponseAt !== undefined && lastResponseAt.getTime() >= startOf(reminder);
}

/** Midnight at the beginning of its day, milliseconds. */
function startOf({ data }: PaymentDue): number {
  return toInstant(parseMarketDate(data.remindOn)).getTime();
}

type PaymentDue = Extract<Fact, { readonly type: 'settlementbus.payment.due.v1' }>;

/** The largest number of days first. An invoice without a payment has none. */
function createReminders(
  invoiceId: string,
  figures: InvoiceFigures,
  { payments, calendar }: DetectionSettings,
  today: MarketDate,
): PaymentDue[] {
  const { market, designation, periodFrom, dueDate, digest } = figures;
  const { remindDaysBefore, dayKind, positiveAmount } = payments;
  const payment = paymentOf(figures, positiveAmount);
  if (payment === undefined) return [];
  const daysLeft = (toInstant(dueDate).getTime() - toInstant(today).getTime()) / DAY_MS;
  return remindDaysBefore.map((reminder) => ({
    type: 'settlementbus.payment.due.v1',
    data: {
      invoiceId,
      market,
      designation,
      periodFrom,
      dueDate,
      reminder,
      dayKind,
      remindOn:
        dayKind === 'calendar' ? addDays(dueDate, -reminder) : addBusinessDays(dueDate, -reminder, calendar),
      daysLeft,
      payableAmount: payment.payableAmount,
      digest,
      direction: payment.direction,
    },
  }));
}
