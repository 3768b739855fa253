import { createParamDecorator, Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { sameIdentity, type Did } from '@ssb/identity';
import { SETTINGS } from '@ssb/platform';
import { BusError } from '../errors/bus-error.js';
import { Directory } from '../permissions/permission.service.js';
import { BearerTokens } from './bearer-tokens.js';
import type { Settings } from '../settings.js';

/** Bytes of a body that need not hold a message or a channel's schemas. */
const SMALL_BODY = 65_536;

const LARGE_BODIES: readonly string[] = ['/message', '/messages', '/channel'];

/** Addresses that need no bearer token: health, and those whose body is signed itself. Every other one does, also one added later. */
const OPEN: readonly string[] = [
  '/auth/login',
  '/role/decision',
  '/health',
  '/health/live',
  '/health/ready',
  '/metrics',
];

const callers = new WeakMap<object, Did>();

/**
 * Identifies the caller as soon as the headers are read, and keeps large bodies to the addresses that need them: what an
 * unauthenticated client sends is not taken into memory.
 */
@Injectable()
export class BearerAuthentication {
  constructor(
    host: HttpAdapterHost<FastifyAdapter>,
    private readonly tokens: BearerTokens,
    private readonly directory: Directory,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'CHANNEL_CREATORS'>,
  ) {
    const fastify = host.httpAdapter.getInstance();
    fastify.addHook('onRoute', (route) => {
      if (!LARGE_BODIES.includes(route.url)) route.bodyLimit = SMALL_BODY;
    });
    fastify.addHook('onRequest', async (request) => {
      const address = request.routeOptions.url;
      // An unknown address stays a 404, whoever asks.
      if (address === undefined || request.is404 || OPEN.includes(address)) return;
      const caller = await this.tokens.authenticate(request.headers.authorization);
      if (mayBeLarge(request.headers)) await this.admitLargeBody(caller);
      callers.set(request, caller);
    });
  }

  /** Anybody can make a key and log in with it: only whom somebody has approved may fill the memory. */
  private async admitLargeBody(caller: Did): Promise<void> {
    if (this.settings.CHANNEL_CREATORS.some((did) => sameIdentity(did, caller))) return;
    const { roles } = await this.directory.standing(caller);
    if (roles.has(this.directory.userRole)) return;
    throw new BusError(
      'BUS::FORBIDDEN_RESOURCE',
      `The caller is not enrolled as a bus user; from others a body may have ${SMALL_BODY} bytes.`,
      { role: this.directory.userRole },
    );
  }
}

/** The DID that the request speaks for. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Did => {
  const caller = callers.get(context.switchToHttp().getRequest<object>());
  if (caller === undefined) throw new BusError('BUS::UNAUTHENTICATED', 'A bearer token is required.');
  return caller;
});

/** By what the headers say; a body that comes in chunks may have any size. */
function mayBeLarge(headers: Readonly<Record<string, unknown>>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SMALL_BODY;
}
