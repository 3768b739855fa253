import type { FastifyRequest } from 'fastify';

/**
 * The path that a request was routed by, which a pattern is held against: `/api/v2/%70rudential` (RFC 3986 §6.2.2.2) and the same in absolute
 * form (RFC 9112 §3.2.2) are the operation that they reach. A slash within a parameter stays encoded, as it divides nothing. At an address that
 * is not there it is the path as it was sent.
 */
export function routedPath({ is404, routeOptions, params, url }: FastifyRequest): string {
  const route = routeOptions.url;
  if (is404 || route === undefined) return url.split('?', 1)[0] ?? '';
  const values = params as Readonly<Record<string, string>>;
  return route.replace(/:(\w+)/g, (_, name: string) => (values[name] ?? '').replaceAll('/', '%2F'));
}
