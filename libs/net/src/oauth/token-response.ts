/** The token in a response of the token service. */
export interface TokenResponse {
  readonly value: string;
  readonly lifetimeSeconds: number;
  /** Granted scopes, each `<ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>`, space-separated; absent when not sent. */
  readonly scope: string | undefined;
}

/** A token, or the reason why there is none. */
export type TokenResult =
  | { readonly ok: true; readonly token: TokenResponse }
  | { readonly ok: false; readonly reason: string };

/** An error of the token service (RFC 6749 §5.2). */
export interface TokenError {
  readonly code: string | undefined;
  readonly description: string | undefined;
}

const DEFAULT_LIFETIME_SECONDS = 300;

/** RFC 6749, appendix A.12: visible ASCII. */
const TOKEN = /^[\x20-\x7e]+$/;

/**
 * Parses a 200 of document 001. It tolerates `expires_in` as a string, a missing `token_type` and misspellings of `access_token`. It
 * refuses any type but `Bearer` (RFC 6749 §7.1).
 */
export function parseTokenResponse(body: string): TokenResult {
  const properties = parseProperties(body);
  const value = asString(properties.get('access_token') ?? findMisspelledToken(properties));
  if (value === undefined || !TOKEN.test(value))
    return { ok: false, reason: 'there is no token in the response' };
  if (!isBearer(properties.get('token_type')))
    return { ok: false, reason: 'its token is not of type Bearer' };
  const lifetimeSeconds = parseLifetime(properties.get('expires_in'));
  return { ok: true, token: { value, lifetimeSeconds, scope: asString(properties.get('scope')) } };
}

/** Parses an error body. Both fields are absent when it is not an OAuth error. */
export function parseTokenError(body: string): TokenError {
  const properties = parseProperties(body);
  return {
    code: asString(properties.get('error')),
    description: asString(properties.get('error_description')),
  };
}

function parseProperties(body: string): Map<string, unknown> {
  try {
    const json: unknown = JSON.parse(body);
    return new Map(typeof json === 'object' && json !== null ? Object.entries(json) : []);
  } catch (error) {
    if (error instanceof SyntaxError) return new Map();
    throw error;
  }
}

/** `accessToken`, `acces_token`, `access_toke`, `acccess_token`… */
function findMisspelledToken(properties: Map<string, unknown>): unknown {
  const name = [...properties.keys()].find((key) => /^ac+es+[_-]?token?$/i.test(key));
  return name === undefined ? undefined : properties.get(name);
}

function isBearer(type: unknown): boolean {
  return type === undefined || type === null || (typeof type === 'string' && /^bearer$/i.test(type));
}

function parseLifetime(value: unknown): number {
  const text = typeof value === 'number' ? String(value) : asString(value);
  const seconds = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : DEFAULT_LIFETIME_SECONDS;
}

function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
