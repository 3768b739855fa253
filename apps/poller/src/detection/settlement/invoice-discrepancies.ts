import type { InvoiceDiscrepancy } from '@ssb/events';
import {
  addDecimals,
  compareDecimals,
  multiplyDecimals,
  parseDecimal,
  percentOf,
  subtractDecimals,
  sumDecimals,
  type AdjustmentLine,
  type Decimal,
  type LineItem,
  type SettlementInvoice,
  type TaxInvoice,
  type TaxInvoiceAdjustment,
} from '@ssb/market';
import type { DetectionSettings } from '@ssb/config';
import type { InvoiceFigures, TaxSums } from './states.js';

type Settings = DetectionSettings['discrepancies'];
type EarlierSums = InvoiceFigures['taxSums'];

/**
 * Compares the amounts of an invoice with each other and with the earlier invoice, in the order of the invoice. A rule applies only where the
 * operator's figures determine the amount.
 *
 * @param earlier sums of the invoice that this one adjusts, where known
 */
export function findDiscrepancies(
  invoice: SettlementInvoice,
  earlier: EarlierSums | undefined,
  settings: Settings,
): InvoiceDiscrepancy[] {
  const { paymentSummary, recipientCreatedTaxInvoice, taxInvoice, adjustmentSummary } = invoice;
  const { recipientCreatedTaxInvoiceAdjustment: recipient, taxInvoiceAdjustment: own } =
    adjustmentSummary ?? {};
  const lines = paymentSummary?.lineItems ?? [];
  return [
    ...(paymentSummary === undefined || lines.length === 0
      ? []
      : compare('line-items', 'paymentSummary.total', sumLines(lines), paymentSummary.total)),
    ...checkTaxInvoice('recipientCreatedTaxInvoice', recipientCreatedTaxInvoice, settings),
    ...checkTaxInvoice('taxInvoice', taxInvoice, settings),
    ...checkAdjustment(
      'adjustmentSummary.recipientCreatedTaxInvoiceAdjustment',
      recipient,
      earlier?.recipientCreatedTaxInvoice,
    ),
    ...checkAdjustment('adjustmentSummary.taxInvoiceAdjustment', own, earlier?.taxInvoice),
  ];
}

/** The sums that a later adjustment names as its previous amounts. A tax invoice without any line determines none of its lines. */
export function sumTaxInvoices({ recipientCreatedTaxInvoice, taxInvoice }: SettlementInvoice): EarlierSums {
  return {
    ...(recipientCreatedTaxInvoice && {
      recipientCreatedTaxInvoice: sumTaxInvoice(recipientCreatedTaxInvoice),
    }),
    ...(taxInvoice && { taxInvoice: sumTaxInvoice(taxInvoice) }),
  };
}

function sumTaxInvoice({ gstApplicable, gstFree, total }: TaxInvoice): TaxSums {
  const [taxed, free] = [gstApplicable ?? [], gstFree ?? []];
  return {
    ...(taxed.length + free.length > 0 && { gstApplicable: sumLines(taxed), gstFree: sumLines(free) }),
    ...(total && { gst: total.gst }),
  };
}

function checkTaxInvoice(
  path: string,
  taxInvoice: TaxInvoice | undefined,
  { gstPercent, gstTolerance }: Settings,
): InvoiceDiscrepancy[] {
  if (taxInvoice?.total === undefined) return [];
  const { gstExclusive, gst, gstInclusive } = taxInvoice.total;
  const sums = sumTaxInvoice(taxInvoice);
  const taxedLines = taxInvoice.gstApplicable?.length ?? 0;
  const lineRules: InvoiceDiscrepancy[] = [];
  if (sums.gstApplicable !== undefined && sums.gstFree !== undefined) {
    const expected = addDecimals(sums.gstApplicable, sums.gstFree);
    lineRules.push(...compare('gst-exclusive', `${path}.total.gstExclusive`, expected, gstExclusive));
  }
  if (sums.gstApplicable !== undefined && taxedLines > 0) {
    const expected = percentOf(sums.gstApplicable, gstPercent);
    const tolerance = multiplyDecimals(gstTolerance, parseDecimal(String(taxedLines)));
    lineRules.push(...compare('gst', `${path}.total.gst`, expected, gst, tolerance));
  }
  const inclusive = addDecimals(gstExclusive, gst);
  return [...lineRules, ...compare('gst-inclusive', `${path}.total.gstInclusive`, inclusive, gstInclusive)];
}

function checkAdjustment(
  path: string,
  adjustment: TaxInvoiceAdjustment | undefined,
  earlier: TaxSums | undefined,
): InvoiceDiscrepancy[] {
  const { gstApplicable, gstFree } = adjustment ?? {};
  const { gstApplicable: exclusive, gst } = earlier ?? {};
  const inclusive = exclusive === undefined || gst === undefined ? undefined : addDecimals(exclusive, gst);
  return [
    ...checkAdjustmentLine(`${path}.gstApplicable.gstExclusive`, gstApplicable?.gstExclusive, exclusive),
    ...checkAdjustmentLine(`${path}.gstApplicable.gst`, gstApplicable?.gst, gst),
    ...checkAdjustmentLine(`${path}.gstApplicable.gstInclusive`, gstApplicable?.gstInclusive, inclusive),
    ...checkAdjustmentLine(`${path}.gstFree`, gstFree, earlier?.gstFree),
  ];
}

function checkAdjustmentLine(
  path: string,
  line: AdjustmentLine | undefined,
  earlier: Decimal | undefined,
): InvoiceDiscrepancy[] {
  if (line === undefined) return [];
  const { previous, current, adjustment } = line;
  return [
    ...(earlier === undefined ? [] : compare('previous', `${path}.previous`, earlier, previous)),
    ...compare('adjustment', `${path}.adjustment`, subtractDecimals(current, previous), adjustment),
  ];
}

const EXACT = parseDecimal('0');
/** Amounts are written with at least two decimals. */
const CENTS = parseDecimal('0.00');

function compare(
  rule: InvoiceDiscrepancy['rule'],
  path: string,
  expected: Decimal,
  stated: Decimal,
  tolerance = EXACT,
): InvoiceDiscrepancy[] {
  const isWithin =
    compareDecimals(subtractDecimals(stated, expected), tolerance) <= 0 &&
    compareDecimals(subtractDecimals(expected, stated), tolerance) <= 0;
  return isWithin ? [] : [{ rule, path, expected: addDecimals(expected, CENTS), stated }];
}

function sumLines(lines: readonly LineItem[]): Decimal {
  return sumDecimals(lines.map(({ amount }) => amount));
}
