/** The token service refused the client or its request (RFC 6749 §5.2). An operator must correct credentials or scopes. */
export class TokenRefusedError extends Error {
  override readonly name = 'TokenRefusedError';
  constructor(
    readonly status: number,
    /** RFC 6749 error code such as `invalid_client`; absent when the service sent none. */
    readonly code: string | undefined,
    readonly description: string | undefined,
    /** No request is sent before this time; until then, every call throws this error. */
    readonly nextAttemptAt?: Date,
  ) {
    const what = [status, code].filter((part) => part !== undefined).join(' ');
    const why = description === undefined ? '' : `: ${description}`;
    const when = nextAttemptAt === undefined ? '' : `; no attempt before ${nextAttemptAt.toISOString()}`;
    super(`the token service refused with ${what}${why}${when}`);
  }
}

/** No token at present: no response, a failing service, or a response without a token. A later repeat can help. */
export class TokenUnavailableError extends Error {
  override readonly name = 'TokenUnavailableError';
  constructor(
    readonly reason: string,
    readonly status: number | undefined,
    readonly retryAfterMs: number | undefined,
    options?: ErrorOptions,
  ) {
    super(`no token from the token service: ${reason}`, options);
  }
}
