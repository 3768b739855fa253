import { z } from 'zod';
import { filledText, int32 } from '../fields.js';
import type { BrokenRule, Form } from '../form.js';
import { type Resource, defineResource } from '../resource.js';

/**
 * Injected faults: the ways in which our own reporting service can be told to misbehave towards participants, so that
 * a client can be tried out. Ours alone; document 000 knows nothing of them.
 */
export const TROUBLES_PATH = '/operator/v1/troubles';

/** Seconds that a trouble may last, and answers that it may spoil. One of the two bounds must be given. */
export const LONGEST_TROUBLE_SECONDS = 3_600;
export const MOST_TROUBLE_TIMES = 10_000;

/** Path segments; `*` stands for any one segment, `**` at the end for any that follow. */
export const TROUBLE_PATH_PATTERN = /^(?:\/(?:\*|[\w.-]+))*(?:\/\*\*)?$/;

const pathPattern = () =>
  filledText(200)
    .refine(
      (path) => TROUBLE_PATH_PATTERN.test(path),
      'expected a path such as /api/v2/settlements/*/summary/**: * is one segment, ** the rest',
    )
    .meta({ pattern: TROUBLE_PATH_PATTERN.source, minLength: 1, maxLength: 200 });

/** What every kind has: how long it lasts, and whom and what it hits (everyone and every operation when left out). */
const everyTrouble = () => ({
  forSeconds: int32(1, LONGEST_TROUBLE_SECONDS).optional(),
  times: int32(1, MOST_TROUBLE_TIMES).optional(),
  participant: filledText(60).optional(),
  path: pathPattern().optional(),
});

const kindsOf = (form: Form) =>
  [
    /** The answer comes so many milliseconds later. */
    form.object({ kind: z.literal('latency'), ms: int32(1, 60_000), ...everyTrouble() }),
    /**
     * 429 beyond so many requests of a participant in any minute or any five minutes; the field notes' 50 and 200 when left out.
     * Refused requests are not counted.
     */
    form.object({
      kind: z.literal('rate-limit'),
      perMinute: int32(1, 10_000).optional(),
      perFiveMinutes: int32(1, 10_000).optional(),
      /** Whether a refusal says in `Retry-After` when the next request will pass. */
      retryAfter: z.boolean(),
      ...everyTrouble(),
    }),
    /** 500 or 503; with `Retry-After` when the seconds are given. */
    form.object({
      kind: z.literal('error'),
      status: int32(500, 503).refine((status) => status === 500 || status === 503, 'expected 500 or 503'),
      retryAfterSeconds: int32(0, 3_600).optional(),
      ...everyTrouble(),
    }),
    /** TCP reset, before anything is answered or in the middle of a 200 body. */
    form.object({
      kind: z.literal('connection-reset'),
      when: z.enum(['before-answer', 'in-body']),
      ...everyTrouble(),
    }),
    /**
     * Half of a JSON body. `Content-Length` tells the length of the whole, and the connection is closed early; or that of the half, so that
     * nothing but the JSON is wrong.
     */
    form.object({
      kind: z.literal('truncated-json'),
      contentLength: z.enum(['of-whole', 'of-half']),
      ...everyTrouble(),
    }),
    /** A 200 under another media type; the body stays as it is. */
    form.object({
      kind: z.literal('wrong-content-type'),
      contentType: z.enum(['text/html', 'application/xml', 'application/octet-stream']),
      ...everyTrouble(),
    }),
    /** One property more in a 200 body: beside `data`, or in the resource (in each one of a list). */
    form.object({
      kind: z.literal('unknown-property'),
      property: filledText(60),
      where: z.enum(['beside-data', 'in-data']),
      ...everyTrouble(),
    }),
    /** The topmost property of this name is left out of a 200 body; in a list, from the first that has it. */
    form.object({ kind: z.literal('missing-property'), property: filledText(60), ...everyTrouble() }),
    /**
     * The server's clock is wrong by so many seconds, ahead when positive: the `Date` header says so, and the lifetime of access tokens is judged
     * by it. Published times are records and stay.
     */
    form.object({
      kind: z.literal('clock-skew'),
      seconds: int32(-86_400, 86_400).refine((seconds) => seconds !== 0, 'expected other than 0'),
      ...everyTrouble(),
    }),
  ] as const;

export const TROUBLE_KINDS = [
  'latency',
  'rate-limit',
  'error',
  'connection-reset',
  'truncated-json',
  'wrong-content-type',
  'unknown-property',
  'missing-property',
  'clock-skew',
] as const;
export type TroubleKind = (typeof TROUBLE_KINDS)[number];

/** Told apart by the kind, so that what is wrong with a trouble is said for its own kind alone. */
const strictTrouble = (form: Form) =>
  z.discriminatedUnion('kind', kindsOf(form), {
    error: ({ code }) =>
      code === 'invalid_union' ? `expected one of ${TROUBLE_KINDS.join(', ')}` : 'expected an object',
  });

/** An object of the tolerant form is more than an object to Zod, and can only be tried. */
const troubleSchema = (form: Form): z.ZodType<z.output<ReturnType<typeof strictTrouble>>> =>
  form.kind === 'strict' ? strictTrouble(form) : z.union(kindsOf(form));

export type Trouble = z.output<ReturnType<typeof troubleSchema>>;
export type TroubleOf<Kind extends TroubleKind> = Extract<Trouble, { kind: Kind }>;

/** What is posted to set a trouble. */
export const Trouble: Resource<Trouble> = defineResource('Trouble', (form) =>
  form.rule(troubleSchema(form), brokenTroubleRules),
);

/** Trouble that ends by itself only: nobody has to remember to switch it off. */
function brokenTroubleRules({ forSeconds, times }: Trouble): BrokenRule[] {
  if (forSeconds !== undefined || times !== undefined) return [];
  return [
    {
      path: [],
      message: `expected forSeconds (1 to ${LONGEST_TROUBLE_SECONDS}) or times, or both, as bound`,
    },
  ];
}

const activeTroubleSchema = (form: Form) =>
  form.object({
    id: int32(1, 2147483647),
    trouble: troubleSchema(form),
    /** Answers spoilt so far. */
    applied: int32(0, 2147483647),
    /** UTC, RFC 3339; absent when it is bounded by a count alone. */
    endsAt: z.string().optional(),
  });

/** A trouble that is switched on. Setting one is answered with it, 201. */
export const ActiveTrouble = defineResource('ActiveTrouble', activeTroubleSchema);
export type ActiveTrouble = z.output<typeof ActiveTrouble.strict>;

/** All that are switched on, in the order in which they were set. */
export const ActiveTroubles = defineResource('ActiveTroubles', (form) =>
  form.object({ troubles: z.array(activeTroubleSchema(form)) }),
);

/** How many were switched off. */
export const TroublesCleared = defineResource('TroublesCleared', (form) =>
  form.object({ cleared: int32(0, 2147483647) }),
);
