import type { ErrorBody } from '@ssb/bus';
import type { Right } from '../users/rights.js';

/** An error response of document 002, "Errors". The client receives every field. */
export class GatewayException extends Error {
  override readonly name = 'GatewayException';

  constructor(
    readonly status: number,
    /** Prefix and kind: `BUS::CHANNEL_NOT_FOUND`. */
    readonly code: string,
    readonly reason: string,
    readonly additionalInformation?: unknown,
    /** Sent as the header `Retry-After`, in whole seconds. */
    readonly retryAfterMs?: number,
  ) {
    super(`${status} ${code}: ${reason}`);
  }

  body(): ErrorBody {
    const { code, reason, additionalInformation } = this;
    return { err: { code, reason, ...(additionalInformation !== undefined && { additionalInformation }) } };
  }
}

export const invalidPrivateKey = (reason: string): GatewayException =>
  new GatewayException(400, 'ID::INVALID_PRIVATE_KEY', reason);

/** Document 002 has one error and one status for a refused key. */
export const identityIsReadOnly = (): GatewayException =>
  new GatewayException(
    400,
    'ID::INVALID_PRIVATE_KEY',
    'The private key is refused, because this gateway reads its key from the mounted IDENTITY_KEY_FILE. Change that file instead.',
    { identity: 'mounted' },
  );

export const noPrivateKey = (): GatewayException =>
  new GatewayException(400, 'ID::NO_PRIVATE_KEY', 'No private key is configured; set the identity first.');

export const fetchClaimsFailed = (reason: string, additionalInformation?: unknown): GatewayException =>
  new GatewayException(500, 'ID::FETCH_CLAIMS_FAILED', reason, additionalInformation);

export const signatureCheckFailed = (reason: string): GatewayException =>
  new GatewayException(400, 'SIG::CHECK_FAILED', reason);

export const requestFailed = (reason: string, additionalInformation?: unknown): GatewayException =>
  new GatewayException(502, 'BUS::REQUEST_FAILED', reason, additionalInformation);

export const brokerUnhealthy = (additionalInformation: unknown): GatewayException =>
  new GatewayException(503, 'BUS::UNHEALTHY', 'The message broker runs with issues.', additionalInformation);

/** The following errors are not in document 002: the request is refused before the operation. */
export const invalidRequest = (reason: string, additionalInformation?: unknown): GatewayException =>
  new GatewayException(400, 'REQ::INVALID_REQUEST', reason, additionalInformation);

export const methodNotAllowed = (): GatewayException =>
  new GatewayException(405, 'REQ::METHOD_NOT_ALLOWED', 'This address does not accept this method.');

export const unauthenticated = (): GatewayException =>
  new GatewayException(
    401,
    'REQ::UNAUTHENTICATED',
    'The gateway requires a user name and password (HTTP basic).',
  );

export const missingRight = (right: Right): GatewayException =>
  new GatewayException(403, 'REQ::FORBIDDEN', `This user of the gateway lacks the right "${right}".`, {
    right,
  });

export const foreignOrigin = (): GatewayException =>
  new GatewayException(
    403,
    'REQ::FORBIDDEN',
    'A page of another origin may not send this request. The operator can list its origin in ALLOWED_ORIGINS.',
  );

/** Too many attempts for this user wait, so this one was not checked. */
export const tooManyAttempts = (retryAfterMs: number): GatewayException =>
  new GatewayException(
    429,
    'REQ::TOO_MANY_REQUESTS',
    'Too many attempts with a wrong user name or password; try again later.',
    undefined,
    retryAfterMs,
  );

export const internalError = (): GatewayException =>
  new GatewayException(500, 'REQ::INTERNAL', 'The gateway failed; its log contains the error.');
