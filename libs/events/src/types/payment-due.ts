import { orderOfDay, startOfDay } from '../envelope/market-time.js';
import type { FactDefinition } from '../definition.js';
import { INVOICE_RUN_KEY, INVOICE_RUN_SUBJECT, invoiceProperties } from './invoices.js';
import {
  date,
  decimal,
  described,
  integer,
  label,
  MAX_INT32,
  object,
  oneOf,
  type ValueOf,
} from './json-schema.js';
import { digest, periodFrom } from './run-properties.js';

/** A reminder of 366 business days may come years before its due date. */
const MAX_DAYS_LEFT = 4_000;

const dayTotals = object({
  payable: described(decimal, 'Sum of what the participant pays, AUD.'),
  receivable: described(decimal, 'Sum of what the participant receives, AUD.'),
  net: described(decimal, '`receivable` minus `payable`, AUD. Negative when the participant pays.'),
  invoices: described(integer(1, MAX_INT32), 'Number of invoices in the sums.'),
});

const paymentDueData = object(
  {
    invoiceId: described(label(20), "The operator's invoice identifier.", 'operation 9, id'),
    market: invoiceProperties.market,
    designation: invoiceProperties.designation,
    periodFrom,
    dueDate: invoiceProperties.dueDate,
    reminder: described(integer(0, 366), 'So many days before `dueDate` is `remindOn`.'),
    dayKind: described(oneOf('calendar', 'business'), 'Which days `reminder` counts.'),
    remindOn: described(
      date,
      'The day of this reminder; market date. It comes later when the bridge saw the invoice after that day.',
    ),
    daysLeft: described(
      integer(0, MAX_DAYS_LEFT),
      'Calendar days from the market date of the detection to `dueDate`. 0 is the due date.',
    ),
    payableAmount: invoiceProperties.payableAmount,
    digest,
    direction: invoiceProperties.direction,
    dayTotals: described(
      dayTotals,
      'All payments of the participant on `dueDate`, this one too: invoices of all its markets that need settlement and are not reversed, as far as the bridge knew them at the time of the detection. Absent from events of earlier releases.',
    ),
  },
  ['dayTotals'],
);

export type PaymentDueData = ValueOf<typeof paymentDueData>;

export const paymentDue: FactDefinition<PaymentDueData> = {
  schema: paymentDueData,
  identity: {
    key: `${INVOICE_RUN_KEY}|{invoiceId}`,
    version: '{dueDate}|{reminder}|{dayKind}|{digest}',
    subject: `${INVOICE_RUN_SUBJECT}/invoice/{invoiceId}/payment`,
  },
  order: ({ dueDate, reminder, remindOn }) => ({
    sequence: orderOfDay(dueDate) * 1_000n + BigInt(999 - reminder),
    marketTime: startOfDay(remindOn),
  }),
  timePrecision: 'day',
  guide: {
    when: 'At most `reminder` days remain until the due date of an invoice that needs settlement. The invoice is requested again before. Passed reminders of an invoice that is first seen late come together: read `daysLeft`. Never for a reversed or replaced invoice; again when the due date or the figures change.',
    response:
      'Make sure that the payment is approved and arrives at the latest on `dueDate`, or that the receipt is expected. Of several reminders the one with the newest `detectedat` has the present amount. `dayTotals` says what is needed on that day.',
    notRecovered:
      'A reminder after the due date has passed. An invoice that was issued and later named `reversedId` looks like one that was issued with it. So a reminder for a reversed invoice may come.',
  },
};
