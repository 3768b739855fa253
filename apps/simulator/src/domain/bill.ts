import type { SettlementStatementSummary } from '@ssb/market';
import { CENTS, dividedRounded, SETTLEMENT_SCALE, sum, unitsOf } from './amount.js';

/** One variable over all trading days of the period, in cents. */
export interface BillLine {
  variable: string;
  gstApplicable: boolean;
  cents: bigint;
}

/** One direction of money: what the participant is charged, or what it is paid. All amounts in cents. */
export interface BillSide {
  lines: BillLine[];
  taxable: bigint;
  free: bigint;
  gst: bigint;
  /** Taxable, free and GST together. */
  inclusive: bigint;
}

export interface Bill {
  charges: BillSide;
  payments: BillSide;
  /** What the participant owes; negative when the operator owes. */
  owed: bigint;
}

/** GST is a tenth of what it applies to, rounded half up to a cent. */
const GST_DIVISOR = 10n;
const UNITS_PER_CENT = 10n ** BigInt(SETTLEMENT_SCALE - CENTS);

/** What a statement comes to. Each variable is summed exactly over its days, then rounded once, to the cent. */
export function billOf(statement: SettlementStatementSummary): Bill {
  const charges = sideOf(statement, 'C');
  const payments = sideOf(statement, 'P');
  return { charges, payments, owed: charges.inclusive - payments.inclusive };
}

function sideOf(statement: SettlementStatementSummary, pOrC: 'P' | 'C'): BillSide {
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
