/** Error codes of the token endpoint: RFC 6749 §5.2, and two of §4.1.2.1 where that list has none. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'temporarily_unavailable'
  | 'server_error';

const STATUS: Record<OAuthErrorCode, number> = {
  invalid_request: 400,
  invalid_client: 401,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  temporarily_unavailable: 503,
  server_error: 500,
};

/** A refused token request, with what the client may know about the reason. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  /** @param description in the characters of RFC 6749 §5.2: printable ASCII without quotation mark and backslash */
  constructor(
    readonly code: OAuthErrorCode,
    readonly description: string,
    options: { status?: number; retryAfterMs?: number } = {},
  ) {
    super(`${code}: ${description}`);
    this.status = options.status ?? STATUS[code];
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The token endpoint has no other method than POST (document 001). */
export function methodNotAllowed(): OAuthError {
  return new OAuthError('invalid_request', 'the method must be POST', { status: 405 });
}
