import type {
  AdjustmentLine,
  LineItem,
  SettlementInvoice,
  TaxInvoice,
  TaxInvoiceAdjustment,
} from '@ssb/market';
import { CENTS, decimalOf, dividedRounded, SETTLEMENT_SCALE, sum, unitsOf } from './amount.js';
import { nameOf, tradeLabelOf } from '../calendar/period.js';
import { adjustmentNumber, type SettlementRun } from '../calendar/settlement-run.js';
import type { StatementFigures } from './statement.js';
import { described } from './variables.js';

export interface InvoiceOrder {
  id: string;
  participant: string;
  run: SettlementRun;
  statement: StatementFigures;
  /** Figures of the run that an adjustment adjusts. */
  previous?: StatementFigures | undefined;
  /** The reversal of the invoice that this one replaces. */
  reversedId?: string | undefined;
  /** Makes the total wrong by so much; decimal string, AUD. */
  offBy?: string | undefined;
}

/** GST is a tenth of what it applies to, rounded half up to a cent. */
const GST_DIVISOR = 10n;
const UNITS_PER_CENT = 10n ** BigInt(SETTLEMENT_SCALE - CENTS);

/** What a statement comes to, in cents. */
type Bill = ReturnType<typeof billOf>;
/** One direction of money: what the participant is charged, or what it is paid. */
type BillSide = ReturnType<typeof sideOf>;
/** One variable over all trading days of the period. */
type BillLine = BillSide['lines'][number];

/**
 * The invoice of a statement. It adds up: the total is the sum of the line items; each tax invoice is its lines plus GST; an
 * adjustment is current minus previous, and only that difference is payable.
 */
export function invoiceOf(order: InvoiceOrder): SettlementInvoice {
  const { id, participant, run, statement, previous, reversedId, offBy } = order;
  const bill = billOf(statement);
  const before = previous && billOf(previous);
  const owed = bill.owed - (before?.owed ?? 0n);
  const total = money(owed + unitsOf(offBy ?? '0.00', CENTS));
  return {
    id,
    ...(reversedId !== undefined && { reversedId }),
    party: { id: participant, name: participant },
    invoiceDate: run.invoiceDate,
    dueDate: run.settlementDate,
    market: run.period.marketService,
    ...tradeLabelOf(run.period),
    adjustment: adjustmentNumber(run.designation),
    title: `${run.period.marketService} settlement ${nameOf(run.period)} ${run.designation}`,
    paymentSummary: {
      lineItems: lineItemsOf(bill, before),
      total,
      payableAmount: total,
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

/** Each variable is summed exactly over its days, then rounded once, to the cent. What is owed is negative when the operator owes. */
function billOf(statement: StatementFigures) {
  const charges = sideOf(statement, 'C');
  const payments = sideOf(statement, 'P');
  return { charges, payments, owed: charges.inclusive - payments.inclusive };
}

function sideOf(statement: StatementFigures, pOrC: 'P' | 'C') {
  const exact = new Map<string, { gstApplicable: boolean; units: bigint }>();
  for (const { variables } of statement.tradingDays) {
    for (const { variable, gstApplicable, value } of variables.filter((each) => each.pOrC === pOrC)) {
      const units = (exact.get(variable)?.units ?? 0n) + unitsOf(value, SETTLEMENT_SCALE);
      exact.set(variable, { gstApplicable: gstApplicable === 'Y', units });
    }
  }
  const lines = [...exact].map(([variable, { gstApplicable, units }]) => ({
    variable,
    gstApplicable,
    cents: dividedRounded(units, UNITS_PER_CENT),
  }));
  const taxable = sum(lines.filter((line) => line.gstApplicable).map((line) => line.cents));
  const free = sum(lines.filter((line) => !line.gstApplicable).map((line) => line.cents));
  const gst = dividedRounded(taxable, GST_DIVISOR);
  return { lines, taxable, free, gst, inclusive: taxable + free + gst };
}
