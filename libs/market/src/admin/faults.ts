import type { Resource } from '../schema/resource.js';
import { type RuleViolation, defineResource, filledText, type SchemaBuilder, int32 } from '../schemas.js';
import { z } from 'zod';

/** Injects faults into the sandbox's responses to participants, to test clients. Not part of document 000. */
export const FAULTS_PATH = '/operator/v1/faults';

/** Limits of a fault: its duration and the number of responses. A fault must have one of them. */
const MAX_FAULT_SECONDS = 3_600;
const MAX_FAULT_TIMES = 10_000;

/** What operation 8 serves in the place of the PDF of an invoice. */
export const INVOICE_FILE_FORMS = ['empty', 'html', 'truncated', 'padded'] as const;
/** 64 MiB. */
const MAX_PADDED_BYTES = 67_108_864;

/** Path segments. `*` is any one segment, `**` at the end any number of segments. */
const FAULT_PATH_PATTERN = /^(?:\/(?:\*|[\w.-]+))*(?:\/\*\*)?$/;

const pathPattern = () =>
  filledText(200)
    .refine(
      (path) => FAULT_PATH_PATTERN.test(path),
      'expected a path such as /api/v2/settlements/*/summary/**: * is one segment, ** the rest',
    )
    .meta({ pattern: FAULT_PATH_PATTERN.source, minLength: 1, maxLength: 200 });

/** The fields of every kind. Without `participant` and `path`, a fault applies to all participants and operations. */
const commonFields = () => ({
  forSeconds: int32(1, MAX_FAULT_SECONDS).optional(),
  times: int32(1, MAX_FAULT_TIMES).optional(),
  participant: filledText(60).optional(),
  path: pathPattern().optional(),
});

const faultSchemas = (builder: SchemaBuilder) =>
  [
    /** Delays the response. */
    builder.object({ kind: z.literal('latency'), ms: int32(1, 60_000), ...commonFields() }),
    /**
     * 429 above a number of requests of a participant in a minute or five minutes, by default 50 and 200. Refused
     * requests do not count.
     */
    builder.object({
      kind: z.literal('rate-limit'),
      perMinute: int32(1, 10_000).optional(),
      perFiveMinutes: int32(1, 10_000).optional(),
      /** Whether a 429 has `Retry-After`. */
      retryAfter: z.boolean(),
      ...commonFields(),
    }),
    /** 500 or 503, with `Retry-After` when `retryAfterSeconds` is given. */
    builder.object({
      kind: z.literal('error'),
      status: int32(500, 503).refine((status) => status === 500 || status === 503, 'expected 500 or 503'),
      retryAfterSeconds: int32(0, 3_600).optional(),
      ...commonFields(),
    }),
    /** TCP reset, before the response or within a 200 body. */
    builder.object({
      kind: z.literal('connection-reset'),
      when: z.enum(['before-response', 'in-body']),
      ...commonFields(),
    }),
    /**
     * Half of a JSON body. With `Content-Length` of the whole body the connection closes early; with that of the half
     * only the JSON is wrong.
     */
    builder.object({
      kind: z.literal('truncated-json'),
      contentLength: z.enum(['of-whole', 'of-half']),
      ...commonFields(),
    }),
    /** A 200 with another media type and an unchanged body. */
    builder.object({
      kind: z.literal('wrong-content-type'),
      contentType: z.enum(['text/html', 'application/xml', 'application/octet-stream']),
      ...commonFields(),
    }),
    /**
     * Another body in the place of the PDF of operation 8: none, an HTML page, its first half, or the PDF padded to this size (10 MiB without
     * `bytes`). The status stays 200.
     */
    builder.object({
      kind: z.literal('invoice-file'),
      form: z.enum(INVOICE_FILE_FORMS),
      bytes: int32(1, MAX_PADDED_BYTES).optional(),
      ...commonFields(),
    }),
    /** An additional property in a 200 body: beside `data`, or in the resource, or in each resource of a list. */
    builder.object({
      kind: z.literal('unknown-property'),
      property: filledText(60),
      where: z.enum(['beside-data', 'in-data']),
      ...commonFields(),
    }),
    /** Removes the topmost property of this name from a 200 body; in a list, from the first item that has it. */
    builder.object({ kind: z.literal('missing-property'), property: filledText(60), ...commonFields() }),
    /**
     * Shifts the server's clock by a number of seconds, forward when positive. It affects the `Date` header and the
     * validation of access tokens, not the records.
     */
    builder.object({
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
  'invoice-file',
  'unknown-property',
  'missing-property',
  'clock-skew',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Discriminated by kind, so that issues are reported for that kind only. */
const strictFaultSchema = (builder: SchemaBuilder) =>
  z.discriminatedUnion('kind', faultSchemas(builder), {
    error: ({ code }) =>
      code === 'invalid_union' ? `expected one of ${FAULT_KINDS.join(', ')}` : 'expected an object',
  });

/** The tolerant variant is not a plain object schema, so Zod cannot discriminate it. */
const faultSchema = (builder: SchemaBuilder): z.ZodType<z.output<ReturnType<typeof strictFaultSchema>>> =>
  builder.kind === 'strict' ? strictFaultSchema(builder) : z.union(faultSchemas(builder));

export type Fault = z.output<ReturnType<typeof faultSchema>>;
export type FaultOf<Kind extends FaultKind> = Extract<Fault, { kind: Kind }>;

/** The request that injects a fault. */
export const Fault: Resource<Fault> = defineResource('Fault', (builder) =>
  builder.rule(faultSchema(builder), checkFaultLimit),
);

/** Every fault must end by itself. */
function checkFaultLimit({ forSeconds, times }: Fault): RuleViolation[] {
  if (forSeconds !== undefined || times !== undefined) return [];
  return [
    {
      path: [],
      message: `expected forSeconds (1 to ${MAX_FAULT_SECONDS}) or times, or both, as bound`,
    },
  ];
}

const activeFaultSchema = (builder: SchemaBuilder) =>
  builder.object({
    id: int32(1, 2147483647),
    fault: faultSchema(builder),
    /** Number of responses that the fault has changed. */
    applied: int32(0, 2147483647),
    /** UTC, RFC 3339; absent without a duration. */
    endsAt: z.string().optional(),
  });

/** An active fault; the 201 of the request that injected it. */
export const ActiveFault = defineResource('ActiveFault', activeFaultSchema);
export type ActiveFault = z.output<typeof ActiveFault.strict>;

/** All active faults, in the order in which they were injected. */
export const ActiveFaultList = defineResource('ActiveFaultList', (builder) =>
  builder.object({ faults: z.array(activeFaultSchema(builder)) }),
);

/** The number of faults that were cleared. */
export const FaultsCleared = defineResource('FaultsCleared', (builder) =>
  builder.object({ cleared: int32(0, 2147483647) }),
);
