import { orderOfDay, startOfDay } from '../envelope/market-time.js';
import type { FactDefinition } from '../definition.js';
import { fillTemplate, type IdentityTemplates } from '../identity.js';
import {
  boolean,
  date,
  dateTime,
  decimal,
  described,
  integer,
  label,
  object,
  oneOf,
  type ValueOf,
} from './json-schema.js';
import {
  digest,
  late,
  marketService,
  periodFrom,
  repetition,
  REPETITIONS_NOT_RECOVERED,
  restated,
  RUN_DESIGNATIONS,
  runProperties,
} from './run-properties.js';
import { RUN_KEY, RUN_SUBJECT } from './statements.js';

/** Properties that events about an invoice share. */
export const invoiceProperties = {
  id: described(label(20), "The operator's invoice identifier.", 'operation 9, id'),
  reversedId: described(label(20), 'Identifier of the invoice reversal, if any.', 'operation 9, reversedId'),
  market: described(marketService, 'Market service code.', 'operation 9, market'),
  designation: described(
    oneOf(...RUN_DESIGNATIONS),
    'Designation of the settlement run.',
    'operation 10, designation',
  ),
  periodFrom,
  tradeWeek: described(label(14), 'Trading week.', 'operation 9, tradeWeek'),
  tradeMonth: described(label(7), 'Trading month.', 'operation 9, tradeMonth'),
  adjustment: described(
    integer(0, 3),
    '0: initial version; 1 to 3: adjustment version. 0 when the operator leaves it out.',
    'operation 9, adjustment',
  ),
  invoiceDate: described(date, 'Publication date; market date.', 'operation 9, invoiceDate'),
  dueDate: described(date, 'Date by which it must be settled; market date.', 'operation 9, dueDate'),
  gstExclusive: described(
    decimal,
    'The part of `total` without GST, AUD: of the tax invoice minus the recipient-created one, or for an adjustment of their adjustments. Present when these figures of the operator add up to `total`.',
    'operation 9, taxInvoice, recipientCreatedTaxInvoice, adjustmentSummary',
  ),
  gst: described(
    decimal,
    'The GST in `total`, AUD. `gstExclusive` plus `gst` is `total`, and both are there or none.',
  ),
  total: described(
    decimal,
    'Total of all line items, AUD. Absent without a payment summary.',
    'operation 9, paymentSummary.total',
  ),
  payableAmount: described(
    decimal,
    'Amount to be settled, AUD.',
    'operation 9, paymentSummary.payableAmount',
  ),
  direction: described(
    oneOf('pay', 'receive'),
    'Whether the participant pays or receives `payableAmount`, by the setting for its sign at the time of the detection. Present unless the amount is zero or missing.',
  ),
  settlementRequired: described(
    boolean,
    'Whether settlement is required.',
    'operation 9, paymentSummary.settlementRequired',
  ),
  digest,
} as const;

const OPTIONAL = [
  'reversedId',
  'tradeWeek',
  'tradeMonth',
  'gstExclusive',
  'gst',
  'total',
  'payableAmount',
  'direction',
  'settlementRequired',
] as const;

const previousInvoice = object(
  {
    id: invoiceProperties.id,
    digest,
    dueDate: invoiceProperties.dueDate,
    total: invoiceProperties.total,
    payableAmount: invoiceProperties.payableAmount,
    direction: invoiceProperties.direction,
  },
  ['digest', 'dueDate', 'total', 'payableAmount', 'direction'],
);

const changed = described(
  previousInvoice,
  'Present when the operator changed the figures of an invoice under the same id: the version that was seen before.',
);

const issuedData = object({ ...invoiceProperties, changed, repetition, late, restated }, [
  ...OPTIONAL,
  'digest',
  'changed',
  'repetition',
  'late',
  'restated',
]);

const adjustedData = object(
  {
    ...invoiceProperties,
    adjustment: { ...invoiceProperties.adjustment, minimum: 1 },
    changed,
    repetition,
    late,
    restated,
  },
  [...OPTIONAL, 'changed', 'repetition', 'late', 'restated'],
);

const reversedData = object(
  {
    ...invoiceProperties,
    reversed: described(previousInvoice, 'The invoice that is no longer valid.'),
    repetition,
  },
  [...OPTIONAL, 'repetition'],
);

const overdueData = object({
  ...runProperties,
  invoiceDate: described(
    date,
    'The day by which the invoice had to be issued; market date.',
    'operation 10, invoiceDate',
  ),
  overdueSince: described(dateTime, 'End of that day plus the configured grace; market time.'),
});

export type InvoiceIssuedData = ValueOf<typeof issuedData>;
export type InvoiceAdjustedData = ValueOf<typeof adjustedData>;
export type InvoiceReversedData = ValueOf<typeof reversedData>;
export type InvoiceOverdueData = ValueOf<typeof overdueData>;

export type InvoiceKey = Pick<InvoiceIssuedData, 'market' | 'periodFrom' | 'designation' | 'id'>;

/** The run of an invoice, as `RUN_KEY`. */
export const INVOICE_RUN_KEY = '{market}|{periodFrom:day}|{designation}';
/** The subject of the statement of its run, as `RUN_SUBJECT`. */
export const INVOICE_RUN_SUBJECT = '{participant}/{market}/{periodFrom:day}/{designation}';

export const INVOICE_KEY = `${INVOICE_RUN_KEY}|{id}`;
export const INVOICE_SUBJECT = `${INVOICE_RUN_SUBJECT}/invoice/{id}`;

/** The earlier digest distinguishes a return to a version from its first publication. */
const identity: IdentityTemplates = {
  key: INVOICE_KEY,
  version: '{adjustment}[|{digest}][|{changed.digest}][|{repetition}]',
  subject: INVOICE_SUBJECT,
};

const orderOfInvoice = ({ invoiceDate }: { readonly invoiceDate: string }) => ({
  sequence: orderOfDay(invoiceDate),
  marketTime: startOfDay(invoiceDate),
});

/** The same for each type that can announce the version: issued, adjusted, and reversed with the replacing invoice. */
function documentVersion(
  participant: string,
  data: InvoiceKey & { readonly digest?: string | undefined },
): string | undefined {
  const { id, digest } = data;
  if (digest === undefined) return undefined;
  return JSON.stringify(['invoice', participant, fillTemplate(INVOICE_RUN_KEY, data), id, digest]);
}

export const invoiceIssued: FactDefinition<InvoiceIssuedData> = {
  schema: issuedData,
  identity,
  order: orderOfInvoice,
  timePrecision: 'day',
  documentVersion,
  guide: {
    when: 'The bridge sees the first invoice of a run, or its figures changed under the same id. Also when it goes back to earlier figures. An invoice that names `reversedId` when it is first seen has `restated: true`.',
    response:
      'Book it and plan the payment or receipt for `dueDate`. With `changed`, replace the booked one.',
    notRecovered: `An invoice that the operator has replaced. The one that is served is issued with \`restated: true\`. ${REPETITIONS_NOT_RECOVERED}`,
  },
};

export const invoiceAdjusted: FactDefinition<InvoiceAdjustedData> = {
  schema: adjustedData,
  identity,
  order: orderOfInvoice,
  timePrecision: 'day',
  documentVersion,
  guide: {
    when: 'As invoice.issued, for an invoice whose `adjustment` is above 0.',
    response: 'Book the difference from the earlier invoice. Pay `payableAmount`.',
    notRecovered: 'As for invoice.issued.',
  },
};

export const invoiceReversed: FactDefinition<InvoiceReversedData> = {
  schema: reversedData,
  identity: {
    key: `${INVOICE_RUN_KEY}|{reversed.id}`,
    version: '{id}|{digest}[|{repetition}]',
    subject: `${INVOICE_RUN_SUBJECT}/invoice/{reversed.id}`,
  },
  order: orderOfInvoice,
  timePrecision: 'day',
  documentVersion,
  guide: {
    when: 'Another id replaced the one that was seen for the same run. The subject is the reversed invoice; the data are those of the invoice that replaces it. Also when a seen invoice newly names `reversedId`: then `id` and `reversed.id` are the same, and nothing replaces it.',
    response:
      'Cancel the payment or receipt of the reversed invoice, and plan that of the new one if there is one.',
    notRecovered: `The replacement of an invoice that was not seen: the new one is issued or adjusted with \`restated: true\`. ${REPETITIONS_NOT_RECOVERED}`,
  },
};

export const invoiceOverdue: FactDefinition<InvoiceOverdueData> = {
  schema: overdueData,
  identity: { key: RUN_KEY, version: '{invoiceDate}', subject: `${RUN_SUBJECT}/invoice-overdue` },
  order: ({ invoiceDate, overdueSince }) => ({ sequence: orderOfDay(invoiceDate), marketTime: overdueSince }),
  guide: {
    when: 'The end of the market day of `invoiceDate` plus the grace has passed and there is no invoice. The later event of the invoice withdraws it and says how late it is.',
    response: 'Request the invoice from the operator.',
    notRecovered:
      'Nothing while the invoice is missing. When it came before the bridge starts again, its event has `restated: true` and no `late`.',
  },
};
