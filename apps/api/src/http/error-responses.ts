import { HttpException } from '@nestjs/common';
import { DocumentStoreError, TooManyDocumentsError } from '@ssb/documents';
import {
  InvalidRequestError,
  ProblemException,
  problemResponder,
  type ErrorResponder,
  type Logger,
} from '@ssb/platform';
import { DatabaseUnavailableError } from '@ssb/postgres';
import type { Settings } from '../settings.js';
import { securityHeaders } from './security-headers.js';
import { TooManyRequestsError } from '../access/caller-limits.js';

/** When a client may repeat a request that the database could not serve. */
const RETRY_AFTER_MS = 5_000;

/** Responds to every error with problem+json. A database that does not respond is 503, and no detail of it is sent. */
export function errorResponses(log: Logger, settings: Settings): ErrorResponder {
  const respond = problemResponder(log);
  const headers = Object.entries(securityHeaders(settings));
  return (error, reply) => {
    // A request that cannot be read reaches no hook.
    for (const [name, value] of headers) reply.header(name, value);
    const problem = toProblem(error);
    const retryAfterMs = findRetryAfter(problem);
    if (retryAfterMs !== undefined) reply.header('retry-after', String(Math.ceil(retryAfterMs / 1_000)));
    respond(problem, reply);
  };
}

function findRetryAfter(problem: unknown): number | undefined {
  if (problem instanceof TooManyRequestsError) return problem.retryAfterMs;
  return problem instanceof ProblemException && problem.status === 503 ? RETRY_AFTER_MS : undefined;
}

/** SQLSTATE of a statement that was ended by its timeout. */
const QUERY_CANCELED = '57014';
/** SQLSTATEs after which a repetition may succeed: conflict of transactions (40), resources (53), lock not available (55P03). */
const TEMPORARY = /^(?:40|53|55P03)/;
/** SQLSTATEs of a value that PostgreSQL cannot hold, such as a text with a zero character. */
const DATA_EXCEPTION = /^22/;

function toProblem(error: unknown): unknown {
  if (error instanceof TooManyDocumentsError)
    return new InvalidRequestError([{ path: 'participant', message: error.message }]);
  if (error instanceof DocumentStoreError) return unavailable('The document store does not respond.', error);
  if (error instanceof DatabaseUnavailableError) return unavailable('The archive does not respond.', error);
  // Controllers throw a ProblemException, so this one is of the router.
  if (error instanceof HttpException && error.getStatus() === 404)
    return new ProblemException(404, 'Not found', 'There is no such address: /openapi.json has all of them.');
  const code = readSqlState(error);
  if (code === QUERY_CANCELED)
    return unavailable('The archive took too long: ask for a shorter time range, or retry later.', error);
  if (TEMPORARY.test(code)) return unavailable('The archive is busy.', error);
  if (DATA_EXCEPTION.test(code))
    return new InvalidRequestError([
      { path: '', message: 'A value has characters or digits that no value of the archive has' },
    ]);
  return error;
}

/** The error of a statement; empty for any other. */
function readSqlState(error: unknown): string {
  if (!(error instanceof Error) || error.name !== 'error' || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** The log has the cause. */
function unavailable(detail: string, cause: unknown): ProblemException {
  return Object.assign(new ProblemException(503, 'Service unavailable', detail), { cause });
}
