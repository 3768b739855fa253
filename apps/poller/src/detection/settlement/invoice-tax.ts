import {
  addDecimals,
  compareDecimals,
  parseDecimal,
  subtractDecimals,
  sumDecimals,
  type AdjustmentLine,
  type Decimal,
  type SettlementInvoice,
  type TaxInvoice,
  type TaxInvoiceAdjustment,
} from '@ssb/market';

/** Both add up to the total, in its sign. */
export interface TaxSplit {
  readonly gstExclusive: Decimal;
  readonly gst: Decimal;
}

const ZERO = parseDecimal('0');

/**
 * The parts of the total: the operator's tax invoice minus the recipient-created one, or their adjustments. Undefined unless they add up to the
 * total, in either sign.
 */
export function splitTotal(invoice: SettlementInvoice): TaxSplit | undefined {
  const { paymentSummary, taxInvoice, recipientCreatedTaxInvoice, adjustmentSummary } = invoice;
  const [own, recipient] =
    adjustmentSummary === undefined
      ? [ofTaxInvoice(taxInvoice), ofTaxInvoice(recipientCreatedTaxInvoice)]
      : [
          ofAdjustment(adjustmentSummary.taxInvoiceAdjustment),
          ofAdjustment(adjustmentSummary.recipientCreatedTaxInvoiceAdjustment),
        ];
  if (paymentSummary === undefined || (own === undefined && recipient === undefined)) return undefined;
  const charged = subtract(own ?? NOTHING, recipient ?? NOTHING);
  const splits = [charged, subtract(NOTHING, charged)].filter(
    ({ gstExclusive, gst }) => compareDecimals(addDecimals(gstExclusive, gst), paymentSummary.total) === 0,
  );
  // The sign of the GST in a total of zero is unknown.
  const isUnclear = splits.length > 1 && compareDecimals(charged.gst, ZERO) !== 0;
  return isUnclear ? undefined : splits[0];
}

const NOTHING: TaxSplit = { gstExclusive: ZERO, gst: ZERO };

function ofTaxInvoice(taxInvoice: TaxInvoice | undefined): TaxSplit | undefined {
  const total = taxInvoice?.total;
  return total && { gstExclusive: total.gstExclusive, gst: total.gst };
}

function ofAdjustment(adjustment: TaxInvoiceAdjustment | undefined): TaxSplit | undefined {
  if (adjustment === undefined) return undefined;
  const { gstApplicable, gstFree } = adjustment;
  return {
    gstExclusive: sumDecimals([gstApplicable?.gstExclusive, gstFree].map(changeOf)),
    gst: changeOf(gstApplicable?.gst),
  };
}

const changeOf = (line: AdjustmentLine | undefined): Decimal => line?.adjustment ?? ZERO;

function subtract(one: TaxSplit, other: TaxSplit): TaxSplit {
  return {
    gstExclusive: subtractDecimals(one.gstExclusive, other.gstExclusive),
    gst: subtractDecimals(one.gst, other.gst),
  };
}
