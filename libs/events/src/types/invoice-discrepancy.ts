import { toMarketTime } from '../envelope/market-time.js';
import type { FactDefinition } from '../definition.js';
import { INVOICE_KEY, INVOICE_SUBJECT, invoiceProperties } from './invoices.js';
import {
  decimal,
  described,
  integer,
  list,
  object,
  oneOf,
  printable,
  sha256,
  type ValueOf,
} from './json-schema.js';
import { digest, periodFrom } from './run-properties.js';

/** Rules that the figures of an invoice must keep. */
export const DISCREPANCY_RULES = [
  'line-items',
  'gst-exclusive',
  'gst',
  'gst-inclusive',
  'adjustment',
  'previous',
] as const;
export const MAX_DISCREPANCIES = 100;

const discrepancy = object({
  rule: described(
    oneOf(...DISCREPANCY_RULES),
    'line-items: their sum is the total. gst-exclusive: the sum of the lines of a tax invoice. gst: the rate times the lines to which GST applies. gst-inclusive: gstExclusive plus gst. adjustment: current minus previous. previous: the figure of the earlier invoice.',
  ),
  path: described(
    printable(200),
    'Path of the stated amount in the invoice, such as paymentSummary.total.',
    'operation 9',
  ),
  expected: described(decimal, "The amount that follows from the operator's other figures, AUD."),
  stated: described(decimal, 'The amount that the operator published, AUD.'),
});

const discrepancyData = object(
  {
    id: invoiceProperties.id,
    market: invoiceProperties.market,
    designation: invoiceProperties.designation,
    periodFrom,
    adjustment: invoiceProperties.adjustment,
    direction: described(
      invoiceProperties.direction,
      'Whether the participant pays or receives the payable amount of the invoice. Present unless the amount is zero or missing.',
    ),
    digest,
    comparedWith: described(
      sha256,
      'Digest of the sums of the earlier invoice, in a form of the bridge. Present when the discrepancies are those of rule `previous`.',
    ),
    discrepancies: described(
      list(discrepancy, MAX_DISCREPANCIES),
      `The first ${MAX_DISCREPANCIES} discrepancies.`,
    ),
    count: described(integer(1, 1_000_000), 'Number of all discrepancies.'),
  },
  ['direction', 'comparedWith'],
);

export type InvoiceDiscrepancy = ValueOf<typeof discrepancy>;
export type InvoiceDiscrepancyData = ValueOf<typeof discrepancyData>;

export const invoiceDiscrepancy: FactDefinition<InvoiceDiscrepancyData> = {
  schema: discrepancyData,
  identity: {
    key: INVOICE_KEY,
    // Violations of rule `previous` have an event of their own, for each state of the earlier invoice.
    version: '{digest}[|{comparedWith}]',
    subject: `${INVOICE_SUBJECT}/discrepancy`,
  },
  // Later versions of an invoice have no order of their own, so the time of the detection decides.
  order: (_, detectedAt) => ({
    sequence: BigInt(detectedAt.getTime()),
    marketTime: toMarketTime(detectedAt),
  }),
  guide: {
    when: "Amounts of an invoice do not agree with each other, or with the earlier invoice. It is computed from the operator's own figures. Discrepancies of rule `previous` have an event of their own, with `comparedWith`; again when the earlier invoice changes.",
    response: 'Check the listed amounts, then send the operator a notice of disagreement if they are wrong.',
    notRecovered:
      'Nothing, except a comparison with an earlier invoice that is no longer served, or with earlier figures of it.',
  },
};
