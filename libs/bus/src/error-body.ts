import { z } from 'zod';

/** The error object of gateway (document 002, "Error") and broker. */
export const errorDetail = z.object({
  code: z.string().describe('Error type, prefix and kind: `BUS::CHANNEL_NOT_FOUND`.'),
  reason: z.string().describe('A sentence for a human reader.'),
  additionalInformation: z
    .unknown()
    .optional()
    .describe('Any structure: validation details, expected and actual public keys, a broker status.'),
});
export type ErrorDetail = z.infer<typeof errorDetail>;

export const errorBody = z.object({ err: errorDetail });
export type ErrorBody = z.infer<typeof errorBody>;

/** `reason` of another gateway: a text, a list of texts, or nothing. */
const receivedReason = z
  .union([z.string(), z.array(z.unknown())])
  .nullish()
  .transform((reason) => (Array.isArray(reason) ? reason.map(toText).join('; ') : (reason ?? '')));

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The error of any gateway. Some send a text in its place, a list of reasons, or no code. */
export const receivedErrorDetail = z.union([
  z.string().transform((reason): ErrorDetail => ({ code: '', reason })),
  z
    .object({
      code: z.string().nullish(),
      reason: receivedReason,
      additionalInformation: z.unknown().optional(),
    })
    .refine(({ code, reason }) => code || reason, 'has neither code nor reason')
    .transform(({ code, ...rest }): ErrorDetail => ({ code: code ?? '', ...rest })),
]);

export const receivedErrorBody = z.object({ err: receivedErrorDetail });

/** The error kinds of document 002 without their prefix, and additional kinds, which are marked. */
export const ERROR_KINDS = [
  'INVALID_PRIVATE_KEY',
  'NO_PRIVATE_KEY',
  'FETCH_CLAIMS_FAILED',
  'CHANNEL_UNAUTHORIZED',
  'LOGIN_FAILED',
  'FORBIDDEN_RESOURCE',
  'FORBIDDEN',
  'CHANNEL_NOT_FOUND',
  'REQUEST_FAILED',
  'UNHEALTHY',
  'CHECK_FAILED',
  'NO_MATCH',
  // Not named in the document ("error code of the 422 response: not shown"): the broker refuses the message.
  'MESSAGE_REJECTED',
  // Not in the document: codes of the public gateway.
  'NOT_ENROLED',
  'NO_BALANCE',
  'TOPIC_UNAUTHORIZED',
  'INVALID_PAYLOAD',
  // Not in the document: more exact reasons of this project's broker.
  'MESSAGE_TOO_LARGE',
  'SCHEMA_MISMATCH',
  'INVALID_SIGNATURE',
  'INVALID_SCHEMA',
  'CHANNEL_EXISTS',
  'STALE_DECISION',
  'TOO_MANY_REQUESTS',
  // Not in the document: invalid requests.
  'INVALID_REQUEST',
  'UNAUTHENTICATED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  // Not in the document: errors of a stream, and internal errors.
  'SUPERSEDED',
  'TOO_SLOW',
  'INTERNAL',
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** The kind of an error code with any prefix (`BUS::`, `DSB::`, `ID::` …); undefined for an unknown kind. */
export function errorKind(code: string): ErrorKind | undefined {
  const separator = code.lastIndexOf('::');
  const kind = separator < 0 ? code : code.slice(separator + 2);
  return ERROR_KINDS.find((known) => known === kind);
}
