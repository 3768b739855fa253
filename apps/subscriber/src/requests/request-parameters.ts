import { z } from 'zod';

const name = z.string().min(1).max(200);
const time = z.iso.datetime({ offset: true });
const MAX_LISTED = 1_000;

const problem = z.strictObject({ problemId: name });
const sink = z.strictObject({ sink: name });

/** Which deliveries a request is about: every given condition holds for them. */
const deliveries = z
  .strictObject({
    /** Ids that the sink sees. */
    eventIds: z.array(name).min(1).max(MAX_LISTED).optional(),
    sink: name.optional(),
    states: z
      .array(z.enum(['pending', 'parked', 'delivered', 'replaced', 'skipped']))
      .min(1)
      .optional(),
    types: z.array(name).min(1).max(MAX_LISTED).optional(),
    participant: name.optional(),
    /** Of the archived event: `archived_at` from this time on, and before `until`. */
    since: time.optional(),
    until: time.optional(),
    problemId: name.optional(),
  })
  .refine(
    ({ eventIds, sink, problemId }) => [eventIds, sink, problemId].some((given) => given !== undefined),
    {
      error: 'Name events, a sink or a problem',
    },
  );

const replay = z.strictObject({
  sink: name,
  since: time,
  until: time.optional(),
  types: z.array(name).min(1).max(MAX_LISTED).optional(),
  participant: name.optional(),
});

/** `request.parameters` of each kind. */
export const REQUEST_PARAMETERS = {
  acknowledge: problem,
  close: problem,
  resend: deliveries,
  skip: deliveries,
  test: sink,
  replay,
  'enable-sink': sink,
  'disable-sink': sink,
  'rebuild-problems': z.strictObject({}),
} as const;

export type ProblemParameters = z.infer<typeof problem>;
export type DeliverySelection = z.infer<typeof deliveries>;
export type SinkParameters = z.infer<typeof sink>;
export type ReplayParameters = z.infer<typeof replay>;
