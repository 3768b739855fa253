import type { SettlementRun } from './settlement-run.js';

/** `INV-2026-03-01-W0`: at most 20 characters (document 000, SettlementInvoice). */
export function invoiceIdOf({ period, designation }: SettlementRun): string {
  const version = designation === 'INITIAL' ? '0' : designation.slice(-1);
  return `INV-${period.from}-${period.marketService.slice(0, 1)}${version}`;
}
