import { z } from 'zod';

/** Causes of dead letters that can end without a change of the event. */
export const DEAD_LETTER_CAUSES = ['channel-missing', 'configuration', 'too-large'] as const;
export type DeadLetterCause = (typeof DEAD_LETTER_CAUSES)[number];

const publishResult = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('published') }),
  z.object({ outcome: z.literal('retry'), reason: z.string() }),
  z.object({
    outcome: z.literal('dead-letter'),
    reason: z.string(),
    cause: z.enum(DEAD_LETTER_CAUSES).optional(),
  }),
  /** The event is neither retried nor kept, because it is ignored or has no value later. */
  z.object({ outcome: z.literal('dropped'), reason: z.string() }),
]);

/** The result of an attempt to publish an event. */
export type PublishResult = Readonly<z.infer<typeof publishResult>>;

/** Reads the result that BullMQ keeps with a job. Undefined for anything else. */
export function parsePublishResult(text: string): PublishResult | undefined {
  try {
    return publishResult.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
