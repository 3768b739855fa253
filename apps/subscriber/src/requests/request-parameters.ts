import { silenceMatchers } from '@ssb/config';
import { z } from 'zod';
import { DELIVERY_STATES } from '../deliveries/requests/delivery-selection.js';

const name = z.string().min(1).max(200);
const time = z.iso.datetime({ offset: true });
const MAX_LISTED = 1_000;

const problem = z.strictObject({ problemId: name });
const sink = z.strictObject({ sink: name });

/** Every given condition holds for the events. */
const events = {
  types: z.array(name).min(1).max(MAX_LISTED).optional(),
  participants: z.array(name).min(1).max(MAX_LISTED).optional(),
  /** Of `archived_at`: from this time on, and before `until`. */
  since: time.optional(),
  until: time.optional(),
};

const deliveries = z
  .strictObject({
    /** Ids that the sinks see. */
    ids: z.array(name).min(1).max(MAX_LISTED).optional(),
    /** Default: every sink. */
    sink: name.optional(),
    states: z.array(z.enum(DELIVERY_STATES)).min(1).optional(),
    /** false: without digests, whose events may belong to participants that the author may not see. */
    digests: z.boolean().optional(),
    ...events,
  })
  .refine((selected) => Object.values(selected).some((value) => value !== undefined), {
    error: 'Name a sink, states, types, participants, times or events',
  });

const silence = z
  .strictObject({
    matchers: silenceMatchers,
    /** Default: now. */
    startsAt: time.optional(),
    endsAt: time.optional(),
    /** Instead of `endsAt`. */
    seconds: z.number().int().min(1).optional(),
  })
  .refine(({ endsAt, seconds }) => (endsAt === undefined) !== (seconds === undefined), {
    error: 'Give either endsAt or seconds',
  });

const replay = z.strictObject({ sink: name, ...events, since: time });

/** `request.parameters` of each kind. */
export const REQUEST_PARAMETERS = {
  acknowledge: problem,
  close: problem,
  silence,
  'end-silence': z.strictObject({ silenceId: z.number().int().min(1) }),
  resend: deliveries,
  skip: deliveries,
  test: sink,
  replay,
  'enable-sink': sink,
  'disable-sink': sink,
  'rebuild-problems': z.strictObject({}),
} as const;

export type RequestedSilence = z.infer<typeof silence>;
export type SelectedDeliveries = z.infer<typeof deliveries>;
