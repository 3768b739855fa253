import { DatabaseUnavailableError } from '@ssb/database';
import {
  type AnswerFailure,
  describeFailure,
  type FailureReply,
  InvalidRequestError,
  type Logger,
  type Metrics,
  problemAnswers,
  ProblemException,
} from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountExistsError, BindingUnavailableError, AccountNotFoundError } from '../accounts/accounts.service.js';
import { OAuthError } from '../domain/oauth-error.js';

/** Where document 001 has the token endpoint. */
export const TOKEN_PATH = '/oauth/v1/token';

const RETRY_AFTER_MS = 2_000;

/** Failures of the token endpoint in the form of RFC 6749 §5.2, whatever went wrong; everywhere else problem+json. */
export function tokenErrorResponses(log: Logger, metrics: Metrics): AnswerFailure {
  const problems = problemAnswers(log);
  // Counted here and not where a token is issued: what the framework refuses never gets that far.
  const refused = metrics.counter({
    name: 'token_requests_refused_total',
    help: 'Token requests that were refused, by error code',
    labelNames: ['error'],
  });
  return (error, reply) => {
    if (!isAtTokenEndpoint(reply)) return problems(asProblem(error, reply), reply);
    const refusal = asOAuthError(error, reply);
    refused.inc({ error: refusal.code });
    if (error instanceof DatabaseUnavailableError || refusal.code === 'server_error')
      log.error({ err: error }, 'request failed');
    answer(refusal, reply);
  };
}

function answer({ code, description, status, retryAfterMs }: OAuthError, reply: FailureReply): void {
  // RFC 9110 §15.5.2 and §15.5.6: a 401 says how to authenticate, a 405 what is allowed.
  if (status === 401) reply.header('www-authenticate', 'Basic realm="token", charset="UTF-8"');
  if (status === 405) reply.header('allow', 'POST');
  if (retryAfterMs !== undefined) reply.header('retry-after', String(Math.ceil(retryAfterMs / 1000)));
  reply
    .status(status)
    .header('cache-control', 'no-store')
    .header('pragma', 'no-cache')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify({ error: code, error_description: description }));
}

/** What the framework refuses before a controller sees it is told in the words of RFC 6749 as well. */
function asOAuthError(error: unknown, reply: FailureReply): OAuthError {
  if (error instanceof OAuthError) return error;
  // What is no readable request (RFC 9112) has no method that could be wrong.
  if (error instanceof ProblemException && error.status < 500)
    return new OAuthError('invalid_request', error.detail ?? error.title, { status: error.status });
  // A body is read before the method is looked at, but the method is what is wrong first.
  if (requestOf(reply)?.method !== 'POST') return methodNotAllowed();
  if (error instanceof DatabaseUnavailableError)
    return new OAuthError('temporarily_unavailable', 'accounts cannot be looked at now', {
      retryAfterMs: RETRY_AFTER_MS,
    });
  const { status, expected } = describeFailure(error);
  if (!expected) return new OAuthError('server_error', 'the failure was recorded');
  if (status === 413) return new OAuthError('invalid_request', 'the body is too large', { status });
  return new OAuthError('invalid_request', 'the body must be application/x-www-form-urlencoded');
}

/** What the admin API refuses. */
function asProblem(error: unknown, reply: FailureReply): unknown {
  if (error instanceof DatabaseUnavailableError) return databaseAway(reply);
  if (error instanceof AccountNotFoundError) return new ProblemException(404, 'No such account', error.message);
  if (error instanceof AccountExistsError)
    return new ProblemException(
      409,
      'Account is there already',
      `${error.message}; ifExists may be keep or replace`,
    );
  if (error instanceof BindingUnavailableError)
    return new InvalidRequestError([{ path: 'bound', message: error.message }]);
  return error;
}

function databaseAway(reply: FailureReply): ProblemException {
  reply.header('retry-after', String(RETRY_AFTER_MS / 1000));
  return new ProblemException(503, 'Service unavailable', 'The database cannot be reached; ask again later.');
}

export function methodNotAllowed(): OAuthError {
  return new OAuthError('invalid_request', 'a token is asked for with POST', { status: 405 });
}

/** By the route that was found: an address can be written in more than one way (RFC 3986 §6.2.2, RFC 9112 §3.2.2). */
function isAtTokenEndpoint(reply: FailureReply): boolean {
  return requestOf(reply)?.routeOptions.url === TOKEN_PATH;
}

/** The chassis names the part of a reply that answering needs; where a request was read, what it hands over is Fastify's. */
function requestOf(reply: FailureReply): Pick<FastifyRequest, 'routeOptions' | 'method'> | undefined {
  return (reply as Partial<Pick<FastifyReply, 'request'>>).request;
}
