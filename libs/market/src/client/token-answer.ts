import { LosslessNumber, MalformedJsonError, parseJson } from '../json.js';

/** What a token endpoint's 200 says, however it spells it. */
export interface TokenAnswer {
  readonly value: string;
  readonly lifetimeSeconds: number;
  /** Granted scopes, each `<ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>`, space-separated; absent where not sent. */
  readonly scope: string | undefined;
}

/** A token, or why there is none to use, as the end of a sentence. */
export type TokenReading =
  | { readonly ok: true; readonly token: TokenAnswer }
  | { readonly ok: false; readonly reason: string };

/** What a token endpoint's error body says (RFC 6749 §5.2). */
export interface TokenRefusal {
  readonly code: string | undefined;
  readonly description: string | undefined;
}

/** A service that does not say how long a token lives is asked again after five minutes. */
const UNSTATED_LIFETIME_SECONDS = 300;

/** RFC 6749, appendix A.12: visible ASCII. Anything else could not be sent in a header. */
const TOKEN = /^[\x20-\x7e]+$/;

/**
 * Reads a successful answer of document 001 liberally: real services send `expires_in` as a number or a string, leave `token_type` out,
 * and one published example misspells `access_token`. A type that is not `Bearer`, in any case, is another matter: such a token
 * must not be used by who does not know how (RFC 6749 §7.1).
 */
export function readTokenAnswer(body: string): TokenReading {
  const properties = readProperties(body);
  const value = textOf(properties.get('access_token') ?? misspelled(properties));
  if (value === undefined || !TOKEN.test(value))
    return { ok: false, reason: 'there is no token in the answer' };
  if (!isBearer(properties.get('token_type')))
    return { ok: false, reason: 'its token is not of type Bearer' };
  const lifetimeSeconds = readLifetime(properties.get('expires_in'));
  return { ok: true, token: { value, lifetimeSeconds, scope: textOf(properties.get('scope')) } };
}

/** Reads an error body; both parts are absent where it is no OAuth error. */
export function readTokenRefusal(body: string): TokenRefusal {
  const properties = readProperties(body);
  return { code: textOf(properties.get('error')), description: textOf(properties.get('error_description')) };
}

function readProperties(body: string): Map<string, unknown> {
  try {
    const wire = parseJson(body);
    return new Map(typeof wire === 'object' && wire !== null ? Object.entries(wire) : []);
  } catch (error) {
    if (error instanceof MalformedJsonError) return new Map();
    throw error;
  }
}

/** `accessToken`, `acces_token`, `access_toke`, `acccess_token`… */
function misspelled(properties: Map<string, unknown>): unknown {
  const name = [...properties.keys()].find((key) => /^ac+es+[_-]?token?$/i.test(key));
  return name === undefined ? undefined : properties.get(name);
}

function isBearer(type: unknown): boolean {
  return type === undefined || type === null || (typeof type === 'string' && /^bearer$/i.test(type));
}

function readLifetime(value: unknown): number {
  const text = value instanceof LosslessNumber ? value.value : textOf(value);
  const seconds = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : UNSTATED_LIFETIME_SECONDS;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
