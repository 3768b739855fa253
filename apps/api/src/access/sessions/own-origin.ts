import { ProblemException } from '@ssb/platform';
import type { FastifyRequest } from 'fastify';

/** Methods that change nothing (RFC 9110 §9.2.1). */
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

type CheckedRequest = Pick<FastifyRequest, 'method' | 'headers' | 'protocol' | 'host'>;

/**
 * Refuses a request that a page of another origin has caused, for requests with the cookie of a session.
 * @param consoleUrl CONSOLE_URL; without it the own origin is that of the request
 * @throws ProblemException 403
 */
export function requireOwnOrigin(request: CheckedRequest, consoleUrl: string | undefined): void {
  const { 'sec-fetch-site': site } = request.headers;
  const isSafe = SAFE_METHODS.includes(request.method);
  // A browser writes `none` when a person has typed the address.
  if (site !== undefined && site !== 'same-origin' && !(isSafe && site === 'none'))
    throw forbidden('A page of another origin sent this request with the session of a person.');
  if (isSafe) return;
  const origin =
    consoleUrl === undefined ? `${request.protocol}://${request.host}` : new URL(consoleUrl).origin;
  if (request.headers.origin !== origin)
    throw forbidden(
      `The header Origin must be ${origin}. Behind a proxy, set CONSOLE_URL to the address that browsers use.`,
    );
}

const forbidden = (detail: string): ProblemException =>
  new ProblemException(403, 'Request of another origin', `${detail} Open the console at its own address.`);
