import { errorKind, type ErrorDetail, type ErrorKind } from '../error-body.js';

/** The gateway answered with an error. `kind` is its code without the prefix; undefined when we do not know it. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly kind: ErrorKind | undefined;
  readonly code: string;
  readonly reason: string;
  readonly additionalInformation: unknown;

  constructor(
    readonly status: number,
    detail: ErrorDetail,
    /** Patience that the gateway asks for (`Retry-After`), milliseconds. */
    readonly retryAfterMs?: number,
  ) {
    super(`the gateway answered ${status} ${detail.code}: ${detail.reason}`);
    this.code = detail.code;
    this.kind = errorKind(detail.code);
    this.reason = detail.reason;
    this.additionalInformation = detail.additionalInformation;
  }
}

/** No answer from the gateway: it is down, the network is, or it took too long. What was sent may or may not have arrived. */
export class GatewayUnreachableError extends Error {
  override readonly name = 'GatewayUnreachableError';
}

/** The gateway answered with something that its interface does not allow (a proxy's page, another service). */
export class GatewayAnswerError extends Error {
  override readonly name = 'GatewayAnswerError';

  constructor(
    readonly status: number,
    reason: string,
  ) {
    super(`the gateway answered ${status} with something unexpected: ${reason}`);
  }
}
