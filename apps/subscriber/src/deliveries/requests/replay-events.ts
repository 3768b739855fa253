import type { Database } from '@ssb/postgres';
import type { BatchResult, BatchRun, DeliverySelection } from './delivery-selection.js';

export interface ReplaySelection extends Pick<
  DeliverySelection,
  'types' | 'participants' | 'since' | 'until'
> {
  readonly sink: string;
}

/** Adds deliveries of archived events to a sink that has none for them, in the order of the archive. */
export function replayEvents(
  database: Database,
  selection: ReplaySelection,
  run: BatchRun,
): Promise<BatchResult> {
  void [database, selection, run];
  return Promise.reject(new Error('not implemented'));
}
