import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';

export interface OriginContext {
  /** The header `Host` of the request. */
  readonly host: string | undefined;
  /** The scheme that the gateway serves. */
  readonly scheme: 'http' | 'https';
  /** ALLOWED_ORIGINS. */
  readonly allowed: readonly string[];
}

/** @param allowed ALLOWED_ORIGINS */
export function isFromAllowedOrigin(
  { headers: { origin, host }, socket }: IncomingMessage,
  allowed: readonly string[],
): boolean {
  return isAllowedOrigin(origin, { host, scheme: socket instanceof TLSSocket ? 'https' : 'http', allowed });
}

/**
 * Whether a browser page may send a request that needs no preflight (RFC 6455 §10.2). A header without an origin, such as `null`, is
 * cross-site.
 */
export function isAllowedOrigin(
  origin: string | undefined,
  { host, scheme, allowed }: OriginContext,
): boolean {
  if (origin === undefined) return true;
  const named = parseOrigin(origin);
  if (named === undefined) return false;
  return allowed.includes(named) || named === parseOrigin(`${scheme}://${host ?? ''}`);
}

/** Undefined for anything but an origin of HTTP or HTTPS. */
function parseOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin } = new URL(text);
  return protocol === 'http:' || protocol === 'https:' ? origin : undefined;
}
