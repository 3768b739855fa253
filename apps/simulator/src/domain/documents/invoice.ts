import type {
  AdjustmentLine,
  LineItem,
  SettlementInvoice,
  TaxInvoice,
  TaxInvoiceAdjustment,
} from '@ssb/market';
import { divideRounded, SETTLEMENT_SCALE, sum, toCents, toMoney, toUnits, UNITS_PER_CENT } from './amount.js';
import { formatPeriodName, formatTradeLabel } from '../calendar/period.js';
import { getAdjustmentNumber, type SettlementRun } from '../calendar/settlement-run.js';
import type { StatementFigures } from './statement.js';
import { describeVariable } from './variables.js';

export interface InvoiceInput {
  id: string;
  participant: string;
  run: SettlementRun;
  statement: StatementFigures;
  /** Figures of the adjusted run, for an adjustment. */
  previous?: StatementFigures | undefined;
  /** The reversal of the invoice that this one replaces. */
  reversedId?: string | undefined;
  /** The payable amount; without it, the total. AUD. */
  payable?: string | undefined;
  /** An intentional error in the previous GST-free charges of an adjustment, AUD. Their adjustment agrees with it. */
  previousError?: string | undefined;
}

/** GST is a tenth of the taxable amount, rounded to a cent. */
const GST_DIVISOR = 10n;

/** A statement in cents. */
interface Bill {
  charges: BillSide;
  payments: BillSide;
  /** Charges less payments: negative if the operator owes the participant. */
  owed: bigint;
}

/** The charges of the participant, or the payments to it; cents. */
interface BillSide {
  lines: BillLine[];
  /** Sum of the lines to which GST applies. */
  taxable: bigint;
  /** Sum of the other lines. */
  free: bigint;
  gst: bigint;
  /** The sum of all lines and GST. */
  inclusive: bigint;
}

/** One variable over all trading days of the period. */
interface BillLine {
  variable: string;
  gstApplicable: boolean;
  cents: bigint;
}

/** The invoice of a statement. For an adjustment, only the difference from the previous invoice is payable. */
export function buildInvoice(input: InvoiceInput): SettlementInvoice {
  const { id, participant, run, statement, previous, reversedId, payable, previousError = '0.00' } = input;
  const bill = computeBill(statement);
  const previousBill = previous && computeBill(previous);
  const owed = bill.owed - (previousBill?.owed ?? 0n);
  const total = toMoney(owed);
  const payableCents = payable === undefined ? owed : toCents(payable);
  return {
    id,
    ...(reversedId !== undefined && { reversedId }),
    party: { id: participant, name: participant },
    invoiceDate: run.invoiceDate,
    dueDate: run.settlementDate,
    market: run.period.marketService,
    ...formatTradeLabel(run.period),
    adjustment: getAdjustmentNumber(run.designation),
    title: `${run.period.marketService} settlement ${formatPeriodName(run.period)} ${run.designation}`,
    paymentSummary: {
      lineItems: buildLineItems(bill, previousBill),
      total,
      payableAmount: toMoney(payableCents),
      settlementRequired: payableCents !== 0n,
    },
    recipientCreatedTaxInvoice: buildTaxInvoice(`${id}-R`, bill.payments),
    taxInvoice: buildTaxInvoice(`${id}-T`, bill.charges),
    ...(previousBill && {
      adjustmentSummary: {
        recipientCreatedTaxInvoiceAdjustment: buildAdjustment(previousBill.payments, bill.payments),
        taxInvoiceAdjustment: buildAdjustment(
          { ...previousBill.charges, free: previousBill.charges.free + toCents(previousError) },
          bill.charges,
        ),
      },
    }),
  };
}

/** Charges are positive, payments negative; one line subtracts the previous invoice. */
function buildLineItems(bill: Bill, previousBill: Bill | undefined): LineItem[] {
  return [
    ...bill.charges.lines.map((line) => buildLineItem(line, line.cents)),
    { code: 'GST_ON_CHARGES', description: 'GST on charges', amount: toMoney(bill.charges.gst) },
    ...bill.payments.lines.map((line) => buildLineItem(line, -line.cents)),
    { code: 'GST_ON_PAYMENTS', description: 'GST on payments', amount: toMoney(-bill.payments.gst) },
    ...(previousBill
      ? [
          {
            code: 'PREVIOUSLY_INVOICED',
            description: 'Previously invoiced',
            amount: toMoney(-previousBill.owed),
          },
        ]
      : []),
  ];
}

function buildTaxInvoice(id: string, side: BillSide): TaxInvoice {
  const lines = (gstApplicable: boolean): LineItem[] =>
    side.lines
      .filter((line) => line.gstApplicable === gstApplicable)
      .map((line) => buildLineItem(line, line.cents));
  return {
    id,
    gstApplicable: lines(true),
    gstFree: lines(false),
    total: {
      gstExclusive: toMoney(side.taxable + side.free),
      gst: toMoney(side.gst),
      gstInclusive: toMoney(side.inclusive),
    },
  };
}

function buildAdjustment(previous: BillSide, current: BillSide): TaxInvoiceAdjustment {
  return {
    gstApplicable: {
      gstExclusive: buildAdjustmentLine(previous.taxable, current.taxable),
      gst: buildAdjustmentLine(previous.gst, current.gst),
      gstInclusive: buildAdjustmentLine(previous.taxable + previous.gst, current.taxable + current.gst),
    },
    gstFree: buildAdjustmentLine(previous.free, current.free),
  };
}

function buildAdjustmentLine(previous: bigint, current: bigint): AdjustmentLine {
  return { previous: toMoney(previous), current: toMoney(current), adjustment: toMoney(current - previous) };
}

function buildLineItem({ variable, gstApplicable }: BillLine, cents: bigint): LineItem {
  return { code: variable, description: describeVariable(variable), amount: toMoney(cents), gstApplicable };
}

function computeBill(statement: StatementFigures): Bill {
  const charges = computeBillSide(statement, 'C');
  const payments = computeBillSide(statement, 'P');
  return { charges, payments, owed: charges.inclusive - payments.inclusive };
}

/** Sums each variable exactly over its days, then rounds it once to a cent. */
function computeBillSide(statement: StatementFigures, pOrC: 'P' | 'C'): BillSide {
  const totals = new Map<string, { gstApplicable: boolean; units: bigint }>();
  for (const { variables } of statement.tradingDays) {
    for (const { variable, gstApplicable, value } of variables.filter((each) => each.pOrC === pOrC)) {
      const units = (totals.get(variable)?.units ?? 0n) + toUnits(value, SETTLEMENT_SCALE);
      totals.set(variable, { gstApplicable: gstApplicable === 'Y', units });
    }
  }
  const lines = [...totals].map(([variable, { gstApplicable, units }]) => ({
    variable,
    gstApplicable,
    cents: divideRounded(units, UNITS_PER_CENT),
  }));
  const taxable = sum(lines.filter((line) => line.gstApplicable).map((line) => line.cents));
  const free = sum(lines.filter((line) => !line.gstApplicable).map((line) => line.cents));
  const gst = divideRounded(taxable, GST_DIVISOR);
  return { lines, taxable, free, gst, inclusive: taxable + free + gst };
}
