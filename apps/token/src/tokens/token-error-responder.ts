import { DatabaseUnavailableError } from '@ssb/postgres';
import {
  type ErrorResponder,
  describeError,
  type HttpReply,
  InvalidRequestError,
  type Logger,
  type Metrics,
  problemResponder,
  ProblemException,
} from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  AccountExistsError,
  AccountNotFoundError,
  BindingUnavailableError,
} from '../accounts/accounts.service.js';
import { methodNotAllowed, OAuthError } from '../domain/oauth-error.js';
import { TOKEN_PATH } from './token.controller.js';
import { METRICS } from '../metrics.js';

const RETRY_AFTER_MS = 2_000;

/** Error responses of the token endpoint have the form of RFC 6749 §5.2, all others are problem+json. */
export function tokenErrorResponder(log: Logger, metrics: Metrics): ErrorResponder {
  const respondWithProblem = problemResponder(log);
  // Counted here, because the framework refuses some requests before they reach the controller.
  const refused = metrics.counter(METRICS.refused);
  return (error, reply) => {
    if (!isTokenEndpoint(reply)) {
      respondWithProblem(toProblem(error, reply), reply);
      return;
    }
    const oauthError = toOAuthError(error, reply);
    refused.inc({ error: oauthError.code });
    if (error instanceof DatabaseUnavailableError || oauthError.code === 'server_error')
      log.error({ err: error }, 'request failed');
    respondWithOAuthError(oauthError, reply);
  };
}

function respondWithOAuthError(
  { code, description, status, retryAfterMs }: OAuthError,
  reply: HttpReply,
): void {
  // RFC 9110 §15.5.2 and §15.5.6 require these headers with 401 and 405.
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

/** Maps every error of the token endpoint, those of the framework included. */
function toOAuthError(error: unknown, reply: HttpReply): OAuthError {
  if (error instanceof OAuthError) return error;
  // An unreadable request (RFC 9112) comes first, as it has no method to check.
  if (error instanceof ProblemException && error.status < 500)
    return new OAuthError('invalid_request', error.detail ?? error.title, { status: error.status });
  // The framework parses the body before the controller checks the method, but a wrong method is the first error.
  if (getRequest(reply)?.method !== 'POST') return methodNotAllowed();
  if (error instanceof DatabaseUnavailableError)
    return new OAuthError('temporarily_unavailable', 'the accounts are unavailable', {
      retryAfterMs: RETRY_AFTER_MS,
    });
  const { status, expected } = describeError(error);
  if (!expected) return new OAuthError('server_error', 'the error was logged');
  if (status === 413) return new OAuthError('invalid_request', 'the body is too large', { status });
  return new OAuthError('invalid_request', 'the body must be application/x-www-form-urlencoded');
}

/** Maps the errors of the admin API. */
function toProblem(error: unknown, reply: HttpReply): unknown {
  if (error instanceof DatabaseUnavailableError) {
    reply.header('retry-after', String(RETRY_AFTER_MS / 1000));
    return new ProblemException(503, 'Service unavailable', 'The database cannot be reached; retry later.');
  }
  if (error instanceof AccountNotFoundError)
    return new ProblemException(404, 'Account not found', error.message);
  if (error instanceof AccountExistsError)
    return new ProblemException(409, 'Account exists', `${error.message}; ifExists may be keep or replace`);
  if (error instanceof BindingUnavailableError)
    return new InvalidRequestError([{ path: 'bound', message: error.message }]);
  return error;
}

/** Compares the matched route, as a URL can be written in more than one way (RFC 3986 §6.2.2, RFC 9112 §3.2.2). */
function isTokenEndpoint(reply: HttpReply): boolean {
  return getRequest(reply)?.routeOptions.url === TOKEN_PATH;
}

/** Undefined for an unreadable request, for which Fastify makes no reply object. */
function getRequest(reply: HttpReply): Pick<FastifyRequest, 'routeOptions' | 'method'> | undefined {
  return (reply as Partial<Pick<FastifyReply, 'request'>>).request;
}
