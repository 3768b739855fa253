import type { DetectedEvent } from '@ssb/events';
import { z } from 'zod';

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
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const found = pendingDetection.safeParse(value);
  if (found.success) return found.data as unknown as PendingDetection;
  const legacy = legacyMarginChange.safeParse(value);
  if (!legacy.success) return undefined;
  const { margin, event: changed } = legacy.data;
  return { events: [changed as unknown as DetectedEvent], state: JSON.stringify(margin) };
}
