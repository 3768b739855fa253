import type { DetectedEvent } from '@ssb/events';
import { z } from 'zod';
import { parseSaved } from './parse-saved.js';

/** A detection whose events are not on the queue yet. */
export interface PendingDetection {
  readonly events: readonly DetectedEvent[];
  /** The state of the part once the events are queued. */
  readonly state: string;
}

// The publisher validates each whole event against its schema.
const event = z.looseObject({
  id: z.string().min(1),
  type: z.string().startsWith('settlementbus.'),
  subject: z.string(),
  participant: z.string(),
  time: z.string(),
  detectedat: z.string(),
  data: z.looseObject({}),
});

const pendingDetection = z.object({ events: z.array(event).min(1), state: z.string() });

/** @returns undefined when the text is not a pending detection */
export function parsePendingDetection(text: string): PendingDetection | undefined {
  return parseSaved(pendingDetection, text) as PendingDetection | undefined;
}
