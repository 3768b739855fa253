import type { Database } from '@ssb/postgres';
import type { BatchResult, BatchRun, DeliverySelection } from './delivery-selection.js';

/** Makes deliveries pending again that their sink received, refused, or was not sent. Pending ones are unchanged. */
export function resendDeliveries(
  database: Database,
  selection: DeliverySelection,
  run: BatchRun,
): Promise<BatchResult> {
  void [database, selection, run];
  return Promise.reject(new Error('not implemented'));
}
