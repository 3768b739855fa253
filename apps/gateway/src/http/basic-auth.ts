import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { hasBasicCredentials } from '../domain/basic-credentials.js';
import { unauthenticated } from '../domain/gateway-failure.js';
import type { Settings } from '../settings.js';

/** Document 002, "Authentication": everything under `/api/v1` but its schema files; also what is added there later. */
export function needsCredentials(path: string): boolean {
  return path.startsWith('/api/v1/') && !path.startsWith('/api/v1/docs/');
}

/**
 * Asks for the credentials as soon as the headers are read, before a stranger's body is. An unknown address stays a 404,
 * whoever asks.
 */
export function installBasicAuth(adapter: FastifyAdapter, settings: Settings): void {
  const { BASIC_AUTH_USERNAME, BASIC_AUTH_PASSWORD } = settings;
  adapter.getInstance().addHook('onRequest', (request, _reply, next) => {
    const path = request.routeOptions.url;
    if (path === undefined || request.is404 || !needsCredentials(path)) return next();
    const known = hasBasicCredentials(
      request.headers.authorization,
      BASIC_AUTH_USERNAME,
      BASIC_AUTH_PASSWORD,
    );
    return next(known ? undefined : unauthenticated());
  });
}
