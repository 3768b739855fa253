import { ProblemException } from '@ssb/platform';
import type { FastifyRequest } from 'fastify';

/** Methods that change nothing (RFC 9110 §9.2.1). */
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];
const isSafe = (method: string): boolean => SAFE_METHODS.includes(method);

type CheckedRequest = Pick<FastifyRequest, 'method' | 'headers' | 'protocol' | 'host'>;

/**
 * Refuses a request that a page of another origin has caused, where the browser says so.
 * @throws ProblemException 403
 */
export function requireOwnSite({ method, headers }: CheckedRequest): void {
  const { 'sec-fetch-site': site } = headers;
  // A browser writes `none` when a person has typed the address.
  if (site !== undefined && site !== 'same-origin' && !(isSafe(method) && site === 'none'))
    throw forbidden('A page of another origin sent this request with the credentials of a person.');
}

/**
 * As `requireOwnSite`, for requests with the cookie of a session. One that changes something needs the own `Origin` as well.
 * @param consoleUrl CONSOLE_URL; without it the own origin is that of the request
 * @throws ProblemException 403
 */
export function requireOwnOrigin(request: CheckedRequest, consoleUrl: string | undefined): void {
  requireOwnSite(request);
  if (isSafe(request.method)) return;
  const origin =
    consoleUrl === undefined ? `${request.protocol}://${request.host}` : new URL(consoleUrl).origin;
  if (request.headers.origin !== origin)
    throw forbidden(
      `The header Origin must be ${origin}. Behind a proxy, set CONSOLE_URL to the address that browsers use.`,
    );
}

const forbidden = (detail: string): ProblemException =>
  new ProblemException(403, 'Request of another origin', `${detail} Open the console at its own address.`);
