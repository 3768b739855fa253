import type { Operation } from './operation.js';
import type { JsonSchema } from './resources.js';

/** What the statuses of document 002, "Errors", say. */
const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request cannot be done as it is.',
  401: 'No credentials, or no right on the channel, or no login at the message broker.',
  403: 'The identity is not enrolled as a user of the bus, or this user of the gateway may not do this.',
  404: 'There is no such channel or topic.',
  413: 'The body is larger than any message may be.',
  415: 'The body is not application/json.',
  422: 'The message broker refuses the message; `additionalInformation` says why.',
  429: 'Too many failed attempts to authenticate.',
  500: 'The gateway failed, or claims cannot be requested.',
  502: 'The message broker cannot be reached.',
  503: 'The message broker runs with issues; `additionalInformation` has its status and message.',
};

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 0 },
  },
};

/** The Responses Object's part for failures: one Error, with the codes that the status can have here. */
export function errorResponses(operation: Operation): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(errorCodes(operation)).map(([status, codes]) => [
      status,
      {
        description: MEANINGS[Number(status)] ?? 'An error.',
        ...(status === '429' && { headers: RETRY_AFTER }),
        content: { 'application/json': { schema: errorWith(codes) } },
      },
    ]),
  );
}

/** An Error with one of these codes. */
export function errorWith(codes: readonly string[]): JsonSchema {
  return {
    allOf: [
      { $ref: '#/components/schemas/Error' },
      { type: 'object', properties: { err: { type: 'object', properties: { code: { enum: codes } } } } },
    ],
  };
}

/** The operation's own codes, and those that precede every operation (docs/interfaces.md, Gateway). */
export function errorCodes({
  open,
  method,
  parameters,
  errors,
}: Operation): Record<number, readonly string[]> {
  const codes: Record<number, readonly string[]> = { ...errors };
  const add = (status: number, code: string): void => {
    codes[status] = [...(codes[status] ?? []), code];
  };
  if (open === undefined) {
    add(401, 'REQ::UNAUTHENTICATED');
    add(403, 'REQ::FORBIDDEN');
    add(429, 'REQ::TOO_MANY_REQUESTS');
  }
  // A body is read also where none is wanted, and may be unreadable.
  const takesBody = method !== 'get';
  if (takesBody || parameters !== undefined) add(400, 'REQ::INVALID_REQUEST');
  if (takesBody) {
    add(413, 'REQ::TOO_LARGE');
    add(415, 'REQ::UNSUPPORTED_MEDIA_TYPE');
  }
  add(500, 'REQ::INTERNAL');
  return codes;
}
