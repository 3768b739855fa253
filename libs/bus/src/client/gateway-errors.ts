import { errorKind, type ErrorDetail, type ErrorKind } from '../error-body.js';

/** The gateway responded with an error. `kind` is its code without the prefix; undefined for an unknown code. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly kind: ErrorKind | undefined;
  readonly code: string;
  readonly reason: string;
  readonly additionalInformation: unknown;

  constructor(
    readonly status: number,
    detail: ErrorDetail,
    /** `Retry-After`, milliseconds. */
    readonly retryAfterMs?: number,
  ) {
    super(`the gateway responded with ${status} ${detail.code}: ${detail.reason}`);
    this.code = detail.code;
    this.kind = errorKind(detail.code);
    this.reason = detail.reason;
    this.additionalInformation = detail.additionalInformation;
  }
}

/** The gateway did not respond: no connection, or a timeout. The request may or may not have arrived. */
export class GatewayUnreachableError extends Error {
  override readonly name = 'GatewayUnreachableError';
}

/** The response does not conform to document 002, for example the page of a proxy. */
export class InvalidGatewayResponseError extends Error {
  override readonly name = 'InvalidGatewayResponseError';

  constructor(
    readonly status: number,
    reason: string,
  ) {
    super(`the gateway sent an unexpected response with status ${status}: ${reason}`);
  }
}

/** The body of the response is larger than the client reads. */
export class GatewayResponseTooLargeError extends InvalidGatewayResponseError {
  constructor(status: number) {
    super(status, 'larger than the maximum size');
  }
}
