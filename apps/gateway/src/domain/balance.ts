import type { Balance } from '@ssb/bus';

/** Both in wei. */
export interface BalanceThresholds {
  /** Less than this is NONE: it pays for nothing. */
  readonly noneBelow: bigint;
  /** This and more is OK; what lies between is LOW. */
  readonly okFrom: bigint;
}

/** Document 002, "Identity": the level of an amount in wei. The document names the levels and leaves their bounds open. */
export function balanceLevel(wei: bigint, { noneBelow, okFrom }: BalanceThresholds): Balance {
  if (wei < noneBelow) return 'NONE';
  return wei < okFrom ? 'LOW' : 'OK';
}
