import type { SettlementRun } from './settlement-run.js';
import { runKey } from './settlement-run.js';

/** What a publication is about, in the words that the bridge's events use as their subject. */
export function statementSubject(participant: string, run: SettlementRun): string {
  return `${participant}/${runKey(run)}`;
}

export function invoiceSubject(participant: string, run: SettlementRun, id: string): string {
  return `${statementSubject(participant, run)}/invoice/${id}`;
}

export function prudentialSubject(participant: string): string {
  return `${participant}/prudential`;
}
