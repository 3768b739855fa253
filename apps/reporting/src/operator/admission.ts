import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ProblemException } from '@ssb/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { holds } from '../domain/scope.js';
import { TokenCheck } from '../tokens/token-check.js';
import { bodyFormAt, mediaTypeOf } from './domain/body-form.js';
import { neededRight } from './domain/needed-right.js';
import { bodyTooLarge } from './read-text.js';

const DOOR = '/operator/';

/** Asks who calls at the operator's door, and whether the body is one for this address, before a byte of it is read. */
@Injectable()
export class Admission implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly tokens: TokenCheck,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.addHook('onRequest', async (request, reply) => {
      const route = request.routeOptions.url;
      if (request.is404 || route === undefined || !route.startsWith(DOOR)) return;
      await this.letIn(request, reply, route);
      if (request.method === 'POST') refuseOtherBodies(request, route);
    });
  }

  /** The token must hold the right for OPERATOR and be nobody's in particular (document 001, Scopes 8). */
  private async letIn(request: FastifyRequest, reply: FastifyReply, route: string): Promise<void> {
    const token = await this.tokens.of(request.headers.authorization);
    if (!token.ok) {
      void reply.header('www-authenticate', challengeFor(token.reason));
      throw new ProblemException(401, 'Unauthorized', token.detail, { reason: token.reason });
    }
    const { entity, permission } = neededRight(request.method, route);
    // A bound token is worth nothing without its certificate (RFC 8705 §3), and this port asks for none.
    if (token.boundTo !== undefined || !holds(token.scopes, entity, 'OPERATOR', permission)) {
      throw new ProblemException(
        403,
        'Forbidden',
        `The access token must hold the scope ${entity}|OPERATOR|${permission} and be bound to no client certificate.`,
        { reason: 'scope-missing' },
      );
    }
  }
}

/** RFC 6750 §3.1: whoever brought no token is told of no error. */
function challengeFor(reason: 'token-missing' | 'token-refused'): string {
  return reason === 'token-missing' ? 'Bearer' : 'Bearer error="invalid_token"';
}

function refuseOtherBodies({ headers }: FastifyRequest, route: string): void {
  const { mediaTypes, largestBytes } = bodyFormAt(route);
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding !== 'identity') {
    throw new ProblemException(
      415,
      'Unsupported media type',
      'A body is taken without a content coding alone: leave out Content-Encoding.',
      { allowed: ['identity'] },
    );
  }
  const mediaType = mediaTypeOf(headers['content-type']);
  if (mediaType === undefined || !mediaTypes.includes(mediaType)) {
    throw new ProblemException(
      415,
      'Unsupported media type',
      `Content-Type must be ${mediaTypes.join(' or ')} here.`,
      { allowed: mediaTypes },
    );
  }
  if (Number(headers['content-length'] ?? 0) > largestBytes) throw bodyTooLarge(largestBytes);
}
