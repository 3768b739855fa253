import { ProblemException } from '@ssb/platform';
import { WindowTooLargeError } from '../records/day-window-query.js';
import type { Parsed } from './parameters/invalid-parameter.js';
import type { ReasonOf } from './problem-reasons.js';

function notFound(reason: ReasonOf<404>, detail: string, parameter?: string): ProblemException {
  return new ProblemException(404, 'Not found', detail, { reason, parameter });
}

/** The value of valid parameters. @throws ProblemException 404 that names the invalid one */
export function orNotFound<Value>(parsed: Parsed<Value>): Value {
  if (parsed.ok) return parsed.value;
  throw notFound(parsed.reason, parsed.detail, parsed.parameter);
}

/** The body of a published document. @throws ProblemException 404 when nothing was published */
export function requirePublished<Body>(what: string, body: Body | undefined): Body {
  if (body !== undefined) return body;
  throw notFound('nothing-published', `No ${what} was published for this participant.`);
}

/** The body of a window of days. @throws ProblemException 404 when it is over the market's own 10 MB */
export async function rejectTooLarge<Body>(found: Promise<Body>): Promise<Body> {
  try {
    return await found;
  } catch (error) {
    if (!(error instanceof WindowTooLargeError)) throw error;
    const detail = 'The result for these days is larger than 10 MB: request fewer days at a time.';
    throw notFound('response-too-large', detail);
  }
}

/** 404 for a path or a method that is not an operation. */
export function unknownAddress(): ProblemException {
  const detail =
    'Nothing has this address: participants send GET requests below /api/v2/, and /openapi.json describes them.';
  return notFound('no-such-address', detail);
}
