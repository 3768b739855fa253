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

/** Releases before 0.2 saved one changed margin and its event. */
const legacyMarginChange = z.object({ margin: z.looseObject({ level: z.string() }), event });

/** @returns undefined when the text is no pending detection of a known release */
export function parsePendingDetection(text: string): PendingDetection | undefined {
  const found = parseSaved(pendingDetection, text);
  if (found !== undefined) return found as unknown as PendingDetection;
  const legacy = parseSaved(legacyMarginChange, text);
  if (legacy === undefined) return undefined;
  const { margin, event: changed } = legacy;
  return { events: [changed as unknown as DetectedEvent], state: JSON.stringify(margin) };
}
