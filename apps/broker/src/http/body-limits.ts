import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';

/** Bytes of a body that need not hold a message or a channel's schemas. */
export const SMALL_BODY = 65_536;

const LARGE_BODIES: readonly string[] = ['/message', '/channel'];

/** Keeps large bodies to the addresses that need them: what a stranger may send (a login, a decision) is small. */
@Injectable()
export class BodyLimits {
  constructor(@Inject(HttpAdapterHost) host: HttpAdapterHost<FastifyAdapter>) {
    host.httpAdapter.getInstance().addHook('onRoute', (route) => {
      if (!LARGE_BODIES.includes(route.url)) route.bodyLimit = SMALL_BODY;
    });
  }
}
