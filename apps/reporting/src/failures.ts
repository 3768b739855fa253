import { DatabaseUnavailableError } from '@ssb/postgres';
import {
  InvalidRequestError,
  problemResponder,
  ProblemException,
  type ErrorResponder,
  type Logger,
} from '@ssb/platform';
import type { FastifyReply } from 'fastify';
import { TooManyFaultsError } from './faults/active-faults.js';
import { unknownAddress } from './participants/not-found.js';
import type { ReasonOf } from './participants/problem-reasons.js';

/** Fastify's error codes for an address that cannot be decoded or has too long a parameter. */
const ADDRESS_ERRORS: readonly unknown[] = ['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH'];

/** RFC 9110 §10.2.3. Key server and database serve again with their first response. */
const RETRY_AFTER_SECONDS = 2;

/** Responds to failures with problem+json at both ports. A 503 has Retry-After. */
export function failures(log: Logger): ErrorResponder {
  const respond = problemResponder(log);
  return (error, reply) => {
    const mapped = mapError(error);
    if (mapped instanceof ProblemException && mapped.status === 503)
      reply.header('retry-after', String(RETRY_AFTER_SECONDS));
    respond(mapped, reply);
  };
}

/** Sends a problem (RFC 9457) that is not a failure, so nothing is logged. */
export function sendProblem(reply: FastifyReply, problem: ProblemException): void {
  void reply
    .status(problem.status)
    .header('content-type', 'application/problem+json')
    .send(JSON.stringify(problem.body()));
}

function mapError(error: unknown): unknown {
  if (isAddressError(error)) return unknownAddress();
  if (error instanceof InvalidRequestError) return invalidQuery(error);
  if (error instanceof TooManyFaultsError) return tooManyFaults(error);
  return error instanceof DatabaseUnavailableError ? recordsUnavailable(error) : error;
}

function isAddressError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ADDRESS_ERRORS.includes(error.code);
}

/** Only a query gets here: operator/request-bodies.ts reports the faults of a body. */
function invalidQuery({ message, faults }: InvalidRequestError): ProblemException {
  return new ProblemException(400, 'Bad request', `${message}.`, { parameter: faults[0]?.path });
}

function tooManyFaults({ max }: TooManyFaultsError): ProblemException {
  const detail = `${max} faults are active, which is the maximum: clear one, or wait until one ends.`;
  return new ProblemException(409, 'Conflict', detail);
}

function recordsUnavailable(cause: DatabaseUnavailableError): ProblemException {
  const problem = new ProblemException(
    503,
    'Service unavailable',
    'The records cannot be reached at the moment: retry later. A load may be repeated too: a record that is already loaded stays as it is.',
    { reason: 'records-cannot-be-reached' satisfies ReasonOf<503> },
  );
  // For the log only: the cause may name hosts.
  problem.cause = cause;
  return problem;
}
