import type { FencingToken } from '../state/poller-keys.js';
import type { DetectionRecord, DetectionRecorder } from './detection-recorder.js';
import type { SavedSettlement } from './saved-settlement.js';

export interface RecordPartDependencies {
  readonly recorder: Pick<DetectionRecorder, 'record'>;
}

/** Records a detection and keeps its state in memory. After a failure the memory is stale, because Redis may have a pending detection. */
export async function recordPart(
  { recorder }: RecordPartDependencies,
  token: FencingToken,
  saved: SavedSettlement,
  record: Omit<DetectionRecord, 'savedText'>,
): Promise<void> {
  try {
    await recorder.record(token, { ...record, savedText: saved.text(record.part) });
  } catch (error) {
    saved.isStale = true;
    throw error;
  }
  saved.save(record.part, record.text);
}
