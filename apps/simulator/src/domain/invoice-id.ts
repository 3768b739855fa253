import { createHash } from 'node:crypto';
import type { SettlementRun } from './settlement-run.js';

/** What is left of the 20 characters of an id (document 000, SettlementInvoice) beside `-260301-W0`. */
const LONGEST_MARK = 10;

/** `WPGENCO-260301-W0`: whose, of which period, and which version. No two participants share one. */
export function invoiceIdOf(participant: string, { period, designation }: SettlementRun): string {
  const from = period.from.slice(2).replaceAll('-', '');
  const version = designation === 'INITIAL' ? '0' : designation.slice(-1);
  return `${markOf(participant)}-${from}-${period.marketService.slice(0, 1)}${version}`;
}

/** The code itself, or the beginning of a longer one with six digits of its SHA-256. */
function markOf(participant: string): string {
  const characters = [...participant];
  if (characters.length <= LONGEST_MARK) return participant;
  const digits = createHash('sha256').update(participant).digest('hex').slice(0, 6);
  return `${characters.slice(0, LONGEST_MARK - digits.length - 1).join('')}~${digits}`;
}
