import type { Database } from '@ssb/postgres';
import type { BatchResult, BatchRun, DeliverySelection } from './delivery-selection.js';

/** Ends pending and parked deliveries without an attempt. */
export function skipDeliveries(
  database: Database,
  selection: DeliverySelection,
  run: BatchRun,
): Promise<BatchResult> {
  void [database, selection, run];
  return Promise.reject(new Error('not implemented'));
}
