import type { Resource } from '@ssb/market';
import { type BrokenRule, defineResource, filledText, type Form, int32 } from '@ssb/market/schemas';
import { z } from 'zod';

/**
 * Injected faults: the ways in which our own reporting service can be told to misbehave towards participants, so that
 * a client can be tried out. Ours alone; document 000 knows nothing of them.
 */
export const FAULTS_PATH = '/operator/v1/faults';

/** Seconds that a fault may last, and answers that it may spoil. One of the two bounds must be given. */
export const MAX_FAULT_SECONDS = 3_600;
export const MAX_FAULT_TIMES = 10_000;

/** Path segments; `*` stands for any one segment, `**` at the end for any that follow. */
export const FAULT_PATH_PATTERN = /^(?:\/(?:\*|[\w.-]+))*(?:\/\*\*)?$/;

const pathPattern = () =>
  filledText(200)
    .refine(
      (path) => FAULT_PATH_PATTERN.test(path),
      'expected a path such as /api/v2/settlements/*/summary/**: * is one segment, ** the rest',
    )
    .meta({ pattern: FAULT_PATH_PATTERN.source, minLength: 1, maxLength: 200 });

/** What every kind has: how long it lasts, and whom and what it hits (everyone and every operation when left out). */
const commonFields = () => ({
  forSeconds: int32(1, MAX_FAULT_SECONDS).optional(),
  times: int32(1, MAX_FAULT_TIMES).optional(),
  participant: filledText(60).optional(),
  path: pathPattern().optional(),
});

const kindsOf = (form: Form) =>
  [
    /** The answer comes so many milliseconds later. */
    form.object({ kind: z.literal('latency'), ms: int32(1, 60_000), ...commonFields() }),
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
      ...commonFields(),
    }),
    /** 500 or 503; with `Retry-After` when the seconds are given. */
    form.object({
      kind: z.literal('error'),
      status: int32(500, 503).refine((status) => status === 500 || status === 503, 'expected 500 or 503'),
      retryAfterSeconds: int32(0, 3_600).optional(),
      ...commonFields(),
    }),
    /** TCP reset, before anything is answered or in the middle of a 200 body. */
    form.object({
      kind: z.literal('connection-reset'),
      when: z.enum(['before-answer', 'in-body']),
      ...commonFields(),
    }),
    /**
     * Half of a JSON body. `Content-Length` tells the length of the whole, and the connection is closed early; or that of the half, so that
     * nothing but the JSON is wrong.
     */
    form.object({
      kind: z.literal('truncated-json'),
      contentLength: z.enum(['of-whole', 'of-half']),
      ...commonFields(),
    }),
    /** A 200 under another media type; the body stays as it is. */
    form.object({
      kind: z.literal('wrong-content-type'),
      contentType: z.enum(['text/html', 'application/xml', 'application/octet-stream']),
      ...commonFields(),
    }),
    /** One property more in a 200 body: beside `data`, or in the resource (in each one of a list). */
    form.object({
      kind: z.literal('unknown-property'),
      property: filledText(60),
      where: z.enum(['beside-data', 'in-data']),
      ...commonFields(),
    }),
    /** The topmost property of this name is left out of a 200 body; in a list, from the first that has it. */
    form.object({ kind: z.literal('missing-property'), property: filledText(60), ...commonFields() }),
    /**
     * The server's clock is wrong by so many seconds, ahead when positive: the `Date` header says so, and the lifetime of access tokens is judged
     * by it. Published times are records and stay.
     */
    form.object({
      kind: z.literal('clock-skew'),
      seconds: int32(-86_400, 86_400).refine((seconds) => seconds !== 0, 'expected other than 0'),
      ...commonFields(),
    }),
  ] as const;

export const FAULT_KINDS = [
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
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Told apart by the kind, so that what is wrong with a fault is said for its own kind alone. */
const strictFaultSchema = (form: Form) =>
  z.discriminatedUnion('kind', kindsOf(form), {
    error: ({ code }) =>
      code === 'invalid_union' ? `expected one of ${FAULT_KINDS.join(', ')}` : 'expected an object',
  });

/** An object of the tolerant form is more than an object to Zod, and can only be tried. */
const faultSchema = (form: Form): z.ZodType<z.output<ReturnType<typeof strictFaultSchema>>> =>
  form.kind === 'strict' ? strictFaultSchema(form) : z.union(kindsOf(form));

export type Fault = z.output<ReturnType<typeof faultSchema>>;
export type FaultOf<Kind extends FaultKind> = Extract<Fault, { kind: Kind }>;

/** What is posted to set a fault. */
export const Fault: Resource<Fault> = defineResource('Fault', (form) =>
  form.rule(faultSchema(form), brokenFaultRules),
);

/** Fault that ends by itself only: nobody has to remember to switch it off. */
function brokenFaultRules({ forSeconds, times }: Fault): BrokenRule[] {
  if (forSeconds !== undefined || times !== undefined) return [];
  return [
    {
      path: [],
      message: `expected forSeconds (1 to ${MAX_FAULT_SECONDS}) or times, or both, as bound`,
    },
  ];
}

const activeFaultSchema = (form: Form) =>
  form.object({
    id: int32(1, 2147483647),
    fault: faultSchema(form),
    /** Answers spoilt so far. */
    applied: int32(0, 2147483647),
    /** UTC, RFC 3339; absent when it is bounded by a count alone. */
    endsAt: z.string().optional(),
  });

/** A fault that is switched on. Setting one is answered with it, 201. */
export const ActiveFault = defineResource('ActiveFault', activeFaultSchema);
export type ActiveFault = z.output<typeof ActiveFault.strict>;

/** All that are switched on, in the order in which they were set. */
export const ActiveFaultList = defineResource('ActiveFaultList', (form) =>
  form.object({ faults: z.array(activeFaultSchema(form)) }),
);

/** How many were switched off. */
export const FaultsCleared = defineResource('FaultsCleared', (form) =>
  form.object({ cleared: int32(0, 2147483647) }),
);
