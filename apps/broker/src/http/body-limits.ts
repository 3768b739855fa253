import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';

/** Bytes of a body that need not hold a message or a channel's schemas. */
export const SMALL_BODY = 65_536;

const LARGE_BODIES: readonly string[] = ['/message', '/messages', '/channel'];

/** Keeps large bodies to the addresses that need them: what a stranger may send (a login, a decision) is small. */
@Injectable()
export class BodyLimits {
  constructor(host: HttpAdapterHost<FastifyAdapter>) {
    host.httpAdapter.getInstance().addHook('onRoute', (route) => {
      if (!LARGE_BODIES.includes(route.url)) route.bodyLimit = SMALL_BODY;
    });
  }
}

/** What a refusal of a large body says beside its code. */
export interface BodySizes {
  /** Bytes, as the request announced them; undefined for a body that came in chunks. */
  readonly size?: number;
  readonly limit: number;
}

interface ReplyToRequest {
  readonly request: {
    readonly headers: Readonly<Record<string, unknown>>;
    readonly routeOptions: { readonly bodyLimit?: number };
  };
}

/** Both sizes of the request that a reply belongs to; undefined where the address has no limit of its own, as an unknown one. */
export function bodySizes(reply: object): BodySizes | undefined {
  if (!('request' in reply)) return undefined;
  const { headers, routeOptions } = (reply as ReplyToRequest).request;
  const limit = routeOptions.bodyLimit;
  if (limit === undefined) return undefined;
  const size = Number(headers['content-length'] ?? Number.NaN);
  return { ...(Number.isSafeInteger(size) && { size }), limit };
}
