import { BusError } from '../bus-error.js';
import type { AttemptBudget } from '../identity/attempt-budget.js';

/** @throws BusError BUS::TOO_MANY_REQUESTS when this network address had its signatures of the minute checked */
export function spendAttempt(budget: AttemptBudget, address: string): void {
  if (!budget.spend(address)) {
    throw new BusError('BUS::TOO_MANY_REQUESTS', 'Too many signed tokens from this network address.');
  }
}
