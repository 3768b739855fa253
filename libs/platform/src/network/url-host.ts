import { isIPv6 } from 'node:net';

/** A host as it is written in a URL (RFC 3986 §3.2.2). */
export function toUrlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}
