import { MARGIN_LEVELS, type DetectedEvent } from '@ssb/events';
import { isMarketDateTime } from '@ssb/market';
import { z } from 'zod';
import type { MarginState } from './margin.js';

/** A changed margin and its event, saved before the event is queued. */
export interface PendingMarginChange {
  readonly margin: MarginState;
  readonly event: DetectedEvent;
}

const marginSchema = z.object({
  level: z.enum(MARGIN_LEVELS),
  calculatedAt: z.string().refine(isMarketDateTime),
});

const changeSchema = z.object({
  margin: marginSchema,
  // The publisher validates the whole event against its schema.
  event: z.looseObject({
    id: z.string().min(1),
    type: z.string().startsWith('settlementbus.margin.'),
    subject: z.string(),
    participant: z.string(),
    time: z.string(),
    detectedat: z.string(),
    data: z.looseObject({}),
  }),
});

/** @returns undefined when the text is no saved margin of this release */
export function parseMarginState(text: string): MarginState | undefined {
  return parse(marginSchema, text);
}

/** @returns undefined when the text is no pending change of this release */
export function parsePendingChange(text: string): PendingMarginChange | undefined {
  return parse(changeSchema, text) as unknown as PendingMarginChange | undefined;
}

function parse<T>(schema: z.ZodType<T>, text: string): T | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const result = schema.safeParse(value);
  return result.success ? result.data : undefined;
}
