export interface OriginContext {
  /** The header `Host` of the request. */
  readonly host: string | undefined;
  /** The scheme that the gateway serves. */
  readonly scheme: 'http' | 'https';
  /** EVENTS_ALLOWED_ORIGINS. */
  readonly allowed: readonly string[];
}

/**
 * Whether a client with this header `Origin` may open a WebSocket, which a browser allows to every page (RFC 6455 §10.2). Only browsers
 * send the header. One that names no origin, such as `null`, is cross-site.
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
