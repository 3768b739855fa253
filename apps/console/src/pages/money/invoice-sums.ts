import type { InvoiceRow } from '../../api/operations.js';
import { isZero } from '../../format/amount.js';

/** Why an invoice is not in the sums of its day, as `GET /v1/payments` decides it; undefined when it is. */
export function whyLeftOut({
  status,
  payableAmount,
  direction,
  settlementRequired,
}: InvoiceRow): string | undefined {
  if (status === 'overdue') return 'not issued yet';
  if (status === 'reversed') return 'reversed';
  if (settlementRequired === false) return 'needs no settlement';
  if (payableAmount === undefined) return 'amount unknown';
  if (isZero(payableAmount)) return 'zero';
  return direction === undefined ? 'who pays is unknown' : undefined;
}
