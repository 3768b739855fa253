import { createParamDecorator, Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { isSameIdentity, type Did } from '@ssb/identity';
import { SETTINGS } from '@ssb/platform';
import { BusError } from '../errors/bus-error.js';
import { PermissionService } from '../permissions/permission.service.js';
import type { Settings } from '../settings.js';
import { BearerTokens } from './bearer-tokens.js';

/** For every path except `LARGE_BODY_PATHS`. */
const MAX_SMALL_BODY_BYTES = 65_536;

/** Paths whose body contains messages or the schemas of a channel. */
const LARGE_BODY_PATHS: readonly string[] = ['/message', '/messages', '/channel'];

/** Paths that need no bearer token: health, and paths with a signed body. Every other path requires one by default. */
const PUBLIC_PATHS: readonly string[] = ['/auth/login', '/role/decision', '/health'];

const callers = new WeakMap<object, Did>();

/**
 * Authenticates the caller before the body is read, and limits the body size by path.
 * The body of an unauthenticated client is never read into memory.
 */
@Injectable()
export class BearerAuthentication {
  constructor(
    host: HttpAdapterHost<FastifyAdapter>,
    private readonly tokens: BearerTokens,
    private readonly permissions: PermissionService,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'CHANNEL_CREATORS'>,
  ) {
    const fastify = host.httpAdapter.getInstance();
    fastify.addHook('onRoute', (route) => {
      if (!LARGE_BODY_PATHS.includes(route.url)) route.bodyLimit = MAX_SMALL_BODY_BYTES;
    });
    fastify.addHook('onRequest', async (request) => {
      const path = request.routeOptions.url;
      // An unknown path needs no authentication: the response is 404.
      if (path === undefined || request.is404 || PUBLIC_PATHS.includes(path)) return;
      const caller = await this.tokens.authenticate(request.headers.authorization);
      if (mayBeLarge(request.headers)) await this.authorizeLargeBody(caller);
      callers.set(request, caller);
    });
  }

  /** Any key can log in, so only enrolled users and channel creators may send a large body. */
  private async authorizeLargeBody(caller: Did): Promise<void> {
    if (this.settings.CHANNEL_CREATORS.some((did) => isSameIdentity(did, caller))) return;
    const { userRole } = this.permissions;
    const { roles } = await this.permissions.getPrincipal(caller);
    if (roles.has(userRole)) return;
    throw new BusError(
      'BUS::FORBIDDEN_RESOURCE',
      `The caller is not enrolled as a bus user, so the limit of the body is ${MAX_SMALL_BODY_BYTES} bytes.`,
      { role: userRole },
    );
  }
}

/** Parameter decorator: the DID of the authenticated caller. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Did => {
  const caller = callers.get(context.switchToHttp().getRequest<object>());
  if (caller === undefined) throw new BusError('BUS::UNAUTHENTICATED', 'A bearer token is required.');
  return caller;
});

/** Reads only the headers. A chunked body can have any size. */
function mayBeLarge(headers: Readonly<Record<string, unknown>>): boolean {
  const isChunked = headers['transfer-encoding'] !== undefined;
  return isChunked || Number(headers['content-length'] ?? 0) > MAX_SMALL_BODY_BYTES;
}
