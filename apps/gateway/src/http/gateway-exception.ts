import type { ErrorBody } from '@ssb/bus';
import type { Right } from '../users/rights.js';

/** An answer of document 002, "Errors". Everything in it is meant for the caller's eyes. */
export class GatewayFailure extends Error {
  override readonly name = 'GatewayFailure';

  constructor(
    readonly status: number,
    /** Prefix and kind: `BUS::CHANNEL_NOT_FOUND`. */
    readonly code: string,
    readonly reason: string,
    readonly additionalInformation?: unknown,
    /** Goes into the header `Retry-After`, in whole seconds. */
    readonly retryAfterMs?: number,
  ) {
    super(`${status} ${code}: ${reason}`);
  }

  body(): ErrorBody {
    const { code, reason, additionalInformation } = this;
    return { err: { code, reason, ...(additionalInformation !== undefined && { additionalInformation }) } };
  }
}

export const invalidPrivateKey = (reason: string): GatewayFailure =>
  new GatewayFailure(400, 'ID::INVALID_PRIVATE_KEY', reason);

/** The document has one refusal of a key, and no other status for this operation. */
export const identityIsMounted = (): GatewayFailure =>
  new GatewayFailure(
    400,
    'ID::INVALID_PRIVATE_KEY',
    'The private key is refused: this gateway reads its key from the mounted IDENTITY_KEY_FILE; change that file instead.',
    { identity: 'mounted' },
  );

export const noPrivateKey = (): GatewayFailure =>
  new GatewayFailure(400, 'ID::NO_PRIVATE_KEY', 'No private key is configured; set the identity first.');

export const fetchClaimsFailed = (reason: string, additionalInformation?: unknown): GatewayFailure =>
  new GatewayFailure(500, 'ID::FETCH_CLAIMS_FAILED', reason, additionalInformation);

export const signatureCheckFailed = (reason: string): GatewayFailure =>
  new GatewayFailure(400, 'SIG::CHECK_FAILED', reason);

export const requestFailed = (reason: string, additionalInformation?: unknown): GatewayFailure =>
  new GatewayFailure(502, 'BUS::REQUEST_FAILED', reason, additionalInformation);

export const unhealthy = (additionalInformation: unknown): GatewayFailure =>
  new GatewayFailure(503, 'BUS::UNHEALTHY', 'The message broker runs with issues.', additionalInformation);

/** What the document does not list because it precedes every operation: the caller's own mistakes. */
export const invalidRequest = (reason: string, additionalInformation?: unknown): GatewayFailure =>
  new GatewayFailure(400, 'REQ::INVALID_REQUEST', reason, additionalInformation);

export const methodNotAllowed = (): GatewayFailure =>
  new GatewayFailure(405, 'REQ::METHOD_NOT_ALLOWED', 'This address does not take this method.');

export const unauthenticated = (): GatewayFailure =>
  new GatewayFailure(401, 'REQ::UNAUTHENTICATED', 'The gateway wants a user name and password (HTTP basic).');

export const lacksRight = (right: Right): GatewayFailure =>
  new GatewayFailure(403, 'REQ::FORBIDDEN', `This user of the gateway lacks the right "${right}".`, {
    right,
  });

/** Somebody guesses, or so many passwords are to be checked that this one would wait too long. */
export const tooManyAttempts = (retryAfterMs: number): GatewayFailure =>
  new GatewayFailure(
    429,
    'REQ::TOO_MANY_REQUESTS',
    'Too many attempts with a wrong user name or password; try again later.',
    undefined,
    retryAfterMs,
  );
