/** Error codes of the token endpoint: RFC 6749 §5.2, and `temporarily_unavailable` where that list has none. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'temporarily_unavailable';

const STATUS: Record<OAuthErrorCode, number> = {
  invalid_request: 400,
  invalid_client: 401,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  temporarily_unavailable: 503,
};

/** A token request that is refused, with what its sender may know about it. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly status: number;
  readonly retryAfterMs: number | undefined;

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
