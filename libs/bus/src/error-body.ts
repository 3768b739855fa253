import { z } from 'zod';

/** The one error object of the gateway (document 002, "Error"); the broker answers with the same. */
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

/** The kinds that document 002 names, and those it leaves open (marked), without their prefix. */
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
  // Open in the document ("error code of the 422 response: not shown"): the broker refuses the message itself.
  'MESSAGE_REJECTED',
  // Not in the document: how our broker says more exactly why.
  'MESSAGE_TOO_LARGE',
  'SCHEMA_MISMATCH',
  'INVALID_SIGNATURE',
  'INVALID_SCHEMA',
  'CHANNEL_EXISTS',
  'STALE_DECISION',
  'TOO_MANY_REQUESTS',
  // Not in the document: the caller's own mistakes, before any of the above can apply.
  'INVALID_REQUEST',
  'UNAUTHENTICATED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  // Not in the document: the stream's and our own faults.
  'SUPERSEDED',
  'TOO_SLOW',
  'INTERNAL',
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/**
 * The kind of an error code, whatever prefix an implementation puts before it (`BUS::`, `DSB::`, `ID::` …);
 * undefined when the kind is none of ours.
 */
export function errorKind(code: string): ErrorKind | undefined {
  const separator = code.lastIndexOf('::');
  const kind = separator < 0 ? code : code.slice(separator + 2);
  return ERROR_KINDS.find((known) => known === kind);
}
