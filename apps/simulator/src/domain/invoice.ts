import type {
  AdjustmentLine,
  LineItem,
  SettlementInvoice,
  SettlementStatementSummary,
  TaxInvoice,
  TaxInvoiceAdjustment,
} from '@ssb/market';
import { CENTS, decimalOf } from './amount.js';
import { billOf, type Bill, type BillLine, type BillSide } from './bill.js';
import { nameOf, tradeLabelOf } from './period.js';
import type { SettlementRun } from './settlement-run.js';
import { described } from './variables.js';

export interface InvoiceOrder {
  id: string;
  participant: string;
  run: SettlementRun;
  statement: SettlementStatementSummary;
  /** The statement of the designation before, for an adjustment. */
  previous?: SettlementStatementSummary | undefined;
  /** The reversal of the invoice that this one replaces. */
  reversedId?: string | undefined;
}

/**
 * The invoice of a statement. It adds up: the total is the sum of the line items; each tax invoice is its lines plus GST; an
 * adjustment is current minus previous, and only that difference is payable.
 */
export function invoiceOf(order: InvoiceOrder): SettlementInvoice {
  const { id, participant, run, statement, previous, reversedId } = order;
  const bill = billOf(statement);
  const before = previous && billOf(previous);
  const owed = bill.owed - (before?.owed ?? 0n);
  return {
    id,
    ...(reversedId !== undefined && { reversedId }),
    party: { id: participant, name: participant },
    invoiceDate: run.invoiceDate,
    dueDate: run.settlementDate,
    market: run.period.marketService,
    ...tradeLabelOf(run.period),
    adjustment: run.designation === 'INITIAL' ? 0 : Number(run.designation.slice(-1)),
    title: `${run.period.marketService} settlement ${nameOf(run.period)} ${run.designation}`,
    paymentSummary: {
      lineItems: lineItemsOf(bill, before),
      total: money(owed),
      payableAmount: money(owed),
      settlementRequired: owed !== 0n,
    },
    recipientCreatedTaxInvoice: taxInvoiceOf(`${id}-R`, bill.payments),
    taxInvoice: taxInvoiceOf(`${id}-T`, bill.charges),
    ...(before && {
      adjustmentSummary: {
        recipientCreatedTaxInvoiceAdjustment: adjustmentOf(before.payments, bill.payments),
        taxInvoiceAdjustment: adjustmentOf(before.charges, bill.charges),
      },
    }),
  };
}

/** Charges count up, payments count down; what was invoiced before is taken off in one line. */
function lineItemsOf(bill: Bill, before: Bill | undefined): LineItem[] {
  return [
    ...bill.charges.lines.map((line) => lineItem(line, line.cents)),
    { code: 'GST_ON_CHARGES', description: 'GST on charges', amount: money(bill.charges.gst) },
    ...bill.payments.lines.map((line) => lineItem(line, -line.cents)),
    { code: 'GST_ON_PAYMENTS', description: 'GST on payments', amount: money(-bill.payments.gst) },
    ...(before
      ? [{ code: 'PREVIOUSLY_INVOICED', description: 'Previously invoiced', amount: money(-before.owed) }]
      : []),
  ];
}

function taxInvoiceOf(id: string, side: BillSide): TaxInvoice {
  const lines = (gstApplicable: boolean): LineItem[] =>
    side.lines
      .filter((line) => line.gstApplicable === gstApplicable)
      .map((line) => lineItem(line, line.cents));
  return {
    id,
    gstApplicable: lines(true),
    gstFree: lines(false),
    total: {
      gstExclusive: money(side.taxable + side.free),
      gst: money(side.gst),
      gstInclusive: money(side.inclusive),
    },
  };
}

function adjustmentOf(previous: BillSide, current: BillSide): TaxInvoiceAdjustment {
  return {
    gstApplicable: {
      gstExclusive: adjusted(previous.taxable, current.taxable),
      gst: adjusted(previous.gst, current.gst),
      gstInclusive: adjusted(previous.taxable + previous.gst, current.taxable + current.gst),
    },
    gstFree: adjusted(previous.free, current.free),
  };
}

function adjusted(previous: bigint, current: bigint): AdjustmentLine {
  return { previous: money(previous), current: money(current), adjustment: money(current - previous) };
}

function lineItem({ variable, gstApplicable }: BillLine, cents: bigint): LineItem {
  return { code: variable, description: described(variable), amount: money(cents), gstApplicable };
}

function money(cents: bigint): LineItem['amount'] {
  return decimalOf(cents, CENTS);
}
